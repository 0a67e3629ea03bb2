#include "written_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#ifdef COPPICE_LINUX
#include <sys/prctl.h>
#endif

#ifndef PR_GET_MEMORY_MERGE
#define PR_GET_MEMORY_MERGE 68
#endif

/* Flags of an entry. A page that is swapped out is not present, and counts as written. */
static const uint64_t PRESENT = UINT64_C(1) << 63;
static const uint64_t EXCLUSIVE = UINT64_C(1) << 56;

/* The kernel may have found equal pages in two processes and joined them, although both have written to theirs. */
static bool pages_may_be_merged(void) {
#ifdef COPPICE_LINUX
    int merges = prctl(PR_GET_MEMORY_MERGE, 0, 0, 0, 0);
    return merges > 0 || (merges < 0 && errno != EINVAL); /* an older kernel knows neither */
#else
    return true;
#endif
}

static bool read_window(struct coppice_written_pages *written, uint64_t window) {
    if (written->window == window) return true;

    const size_t size = sizeof(written->entries);
    bool whole = pread(written->pagemap, written->entries, size, (off_t)(window * size)) == (ssize_t)size;
    written->window = whole ? window : UINT64_MAX;
    return whole;
}

/* 0, as of a page that is not present, where nothing is known. */
static uint64_t entry_of(struct coppice_written_pages *written, uint64_t page) {
    if (written->pagemap < 0 || !read_window(written, page / COPPICE_WRITTEN_PAGES_WINDOW)) return 0;

    return written->entries[page % COPPICE_WRITTEN_PAGES_WINDOW];
}

bool coppice_written_pages_include(struct coppice_written_pages *written, uintptr_t start, uintptr_t end) {
    uint64_t last = (end - 1) / written->page_bytes;
    for (uint64_t page = start / written->page_bytes; page <= last; page++) {
        uint64_t entry = entry_of(written, page);
        if (!(entry & PRESENT) || (entry & EXCLUSIVE)) return true;
    }
    return false;
}

bool coppice_written_pages_certainly_include(struct coppice_written_pages *written, uintptr_t address) {
    uint64_t entry = entry_of(written, address / written->page_bytes);
    return (entry & PRESENT) && (entry & EXCLUSIVE);
}

void coppice_written_pages_open(struct coppice_written_pages *written) {
    written->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    written->window = UINT64_MAX;
    written->pagemap = pages_may_be_merged() ? -1 : open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

    /* Where it says that the page written to just now is shared, it does not know: Linux before 4.2, other systems. */
    uintptr_t here = (uintptr_t)written;
    if (!coppice_written_pages_include(written, here, here + 1)) coppice_written_pages_close(written);
}

void coppice_written_pages_close(struct coppice_written_pages *written) {
    if (written->pagemap >= 0) close(written->pagemap);
    written->pagemap = -1;
}
