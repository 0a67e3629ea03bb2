#include "fork_witness.h"

#include "written_pages.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

static volatile unsigned char *witness;
static bool impossible; /* to lock it, which it stays in copies */
static bool locked; /* in memory: of a page that is swapped out the kernel does not tell who shares it */

static const size_t ONE_PAGE = 1; /* byte: the kernel maps and locks whole pages */

static void *map_page(void) {
    void *page = mmap(NULL, ONE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}

bool coppice_fork_witness_is_possible(void) {
    return !impossible;
}

bool coppice_fork_witness_renew(void) {
    if (impossible) return false;
    if (!witness) witness = map_page();
    if (!witness) return false;

    (*witness)++; /* the kernel makes a copy if anybody shares it */
    locked = mlock((void *)(uintptr_t)witness, ONE_PAGE) == 0; /* a fork does not inherit it */
    impossible = !locked;
    return locked;
}

void coppice_fork_witness_leave(void) {
    witness = NULL; /* the page stays mapped: a new one is made when it is needed */
    locked = false;
}

bool coppice_fork_witness_is_alone(void) {
    if (!locked) return false;

    struct coppice_written_pages written;
    coppice_written_pages_open(&written);
    bool alone = coppice_written_pages_certainly_include(&written, (uintptr_t)witness);
    coppice_written_pages_close(&written);
    return alone;
}
