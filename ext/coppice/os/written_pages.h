#ifndef COPPICE_WRITTEN_PAGES_H
#define COPPICE_WRITTEN_PAGES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Tells which pages of memory this process may have written to since it last was part of a fork, as copy or as original:
 * those that no other process maps. The kernel says so of each page (proc(5), /proc/PID/pagemap), to any process about
 * itself.
 */
enum { COPPICE_WRITTEN_PAGES_WINDOW = 512 }; /* entries that are read at once: the kernel keeps so many in one table */

struct coppice_written_pages {
    int pagemap; /* descriptor; -1: nothing is known, so all pages count as written */
    uint64_t page_bytes;
    uint64_t window; /* number of the one that was read last; UINT64_MAX: none */
    uint64_t entries[COPPICE_WRITTEN_PAGES_WINDOW];
};

void coppice_written_pages_open(struct coppice_written_pages *written);

/* Whether any page of these addresses counts as written. Quick for addresses near to those asked for before. */
bool coppice_written_pages_include(struct coppice_written_pages *written, uintptr_t start, uintptr_t end);

/* Whether the page of this address was written to: false where that is not known. */
bool coppice_written_pages_certainly_include(struct coppice_written_pages *written, uintptr_t address);

void coppice_written_pages_close(struct coppice_written_pages *written);

#endif
