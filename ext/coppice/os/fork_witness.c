#include "fork_witness.h"

#include "written_pages.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile unsigned char *witness;
static bool lock_forbidden; /* copies inherit it */
static bool locked; /* in memory: of a page that is swapped out the kernel does not tell who shares it */

static const size_t ONE_PAGE = 1; /* byte: the kernel maps and locks whole pages */

static void *map_page(void) {
    void *page = mmap(NULL, ONE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}

static bool limit_is_below_a_page(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur < (rlim_t)sysconf(_SC_PAGESIZE);
}

/* The kernel also refuses for a moment: while memory is short, or while other pages use up the limit. */
static bool lock_page(void *page) {
    if (mlock(page, ONE_PAGE) == 0) return true;

    lock_forbidden = errno == EPERM || (errno == ENOMEM && limit_is_below_a_page());
    return false;
}

bool coppice_fork_witness_is_possible(void) {
    return !lock_forbidden;
}

bool coppice_fork_witness_renew(void) {
    if (lock_forbidden) return false;
    if (!witness) witness = map_page();
    if (!witness) return false;

    (*witness)++; /* the kernel makes a copy if anybody shares it */
    locked = lock_page((void *)(uintptr_t)witness); /* a fork does not inherit it */
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
