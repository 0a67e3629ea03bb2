#ifndef COPPICE_FREE_MEMORY_H
#define COPPICE_FREE_MEMORY_H

/* Gives the kernel back the pages that the memory allocator keeps though nothing uses them. */
void coppice_release_free_memory(void);

#endif
