/*
 * Gives the kernel back what the process has freed. An allocator does that in later calls of malloc and free, and a
 * process that waits makes none: jemalloc's thread for it does not exist after a fork, and glibc only ever shortens the
 * end of its heap by itself.
 */
#include "free_memory.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* jemalloc's, where that is preloaded. */
extern int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak, visibility("default")));

/* The number stands for all arenas (MALLCTL_ARENAS_ALL of jemalloc 5). */
void coppice_release_free_memory(void) {
    if (mallctl) {
        mallctl("arena.4096.purge", NULL, NULL, NULL, 0);
        return;
    }
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
