#ifndef COPPICE_LOBBY_BLOCK_POOL_H
#define COPPICE_LOBBY_BLOCK_POOL_H

/*
 * Blocks of one size in one piece of shared memory, known by their numbers; in pure C. The lowest free block is taken
 * first, so that few blocks are in use at the end of the memory and trim can give pages back after a burst. Nothing is
 * written into a free block.
 *
 * All that is said here of free blocks can be made again from what the owners know: after a death begin again, and keep
 * each block that has an owner.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COPPICE_BLOCK_NONE UINT32_MAX

enum { COPPICE_BLOCK_POOL_LEVELS = 4, COPPICE_BLOCK_POOL_TRIM_CALLS = 32 };

struct coppice_block_pool {
    char *memory;         /* of block 0; begins with a page */
    uint32_t block_bytes; /* a multiple of the page size */
    uint32_t count;
    uint32_t used;
    uint32_t levels;
    /* Level 0 has a bit for each free block, the others one for each word below that is not 0. */
    uint64_t *free[COPPICE_BLOCK_POOL_LEVELS];
    uint64_t *resident; /* blocks that may take memory */
    uint64_t *recent;   /* blocks taken since the last trim */
    uint64_t bits[];
};

/* Bytes of a pool's own memory, and how to make one of it. Its memory must be shared, else trim gives nothing back. */
size_t coppice_block_pool_bytes(uint32_t count);
void coppice_block_pool_init(struct coppice_block_pool *pool, void *memory, uint32_t block_bytes, uint32_t count);

/* The lowest free block; COPPICE_BLOCK_NONE when all are taken. What is in it is anything. */
uint32_t coppice_block_pool_take(struct coppice_block_pool *pool);
/* Answers false for a block that is not taken. */
bool coppice_block_pool_give_back(struct coppice_block_pool *pool, uint32_t block);

static inline char *coppice_block_pool_at(const struct coppice_block_pool *pool, uint32_t block) {
    return pool->memory + (size_t)block * pool->block_bytes;
}

/* Gives the memory of free blocks back to the system, if nobody took them since the last trim; at most
 * COPPICE_BLOCK_POOL_TRIM_CALLS system calls. Answers how many blocks that were. */
uint32_t coppice_block_pool_trim(struct coppice_block_pool *pool);

/* Makes all blocks free, for keep. */
void coppice_block_pool_begin(struct coppice_block_pool *pool);
/* Takes this block; answers false when it is taken already, or is none: then the record that names it is spoilt. */
bool coppice_block_pool_keep(struct coppice_block_pool *pool, uint32_t block);

#endif
