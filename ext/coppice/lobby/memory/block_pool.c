#include "block_pool.h"

#include <string.h>
#include <sys/mman.h>

static uint32_t words_for(uint32_t bits) {
    return bits / 64 + (bits % 64 != 0);
}

static bool has_bit(const uint64_t *words, uint32_t bit) {
    return words[bit / 64] >> (bit % 64) & 1;
}

static void set_bit(uint64_t *words, uint32_t bit) {
    words[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static void clear_bit(uint64_t *words, uint32_t bit) {
    words[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
}

/* Calls for the words of each level of `free`, lowest level first. */
static uint32_t next_level(uint32_t words) {
    return words > 1 ? words_for(words) : 0;
}

size_t coppice_block_pool_bytes(uint32_t count) {
    uint32_t words = words_for(count);
    size_t all = 2 * (size_t)words;
    for (; words; words = next_level(words)) all += words;
    return sizeof(struct coppice_block_pool) + all * sizeof(uint64_t);
}

void coppice_block_pool_init(struct coppice_block_pool *pool, void *memory, uint32_t block_bytes, uint32_t count) {
    memset(pool, 0, coppice_block_pool_bytes(count));
    pool->memory = memory;
    pool->block_bytes = block_bytes;
    pool->count = count;
    uint64_t *bits = pool->bits;
    pool->resident = bits;
    pool->recent = bits + words_for(count);
    bits += 2 * (size_t)words_for(count);
    for (uint32_t words = words_for(count); words; words = next_level(words)) {
        pool->free[pool->levels++] = bits;
        bits += words;
    }
    coppice_block_pool_begin(pool);
}

static void mark_free(struct coppice_block_pool *pool, uint32_t block) {
    for (uint32_t level = 0; level < pool->levels; level++, block /= 64) set_bit(pool->free[level], block);
}

static void mark_taken(struct coppice_block_pool *pool, uint32_t block) {
    set_bit(pool->resident, block);
    set_bit(pool->recent, block);
    for (uint32_t level = 0; level < pool->levels; level++, block /= 64) {
        clear_bit(pool->free[level], block);
        if (pool->free[level][block / 64]) return;
    }
}

void coppice_block_pool_begin(struct coppice_block_pool *pool) {
    pool->used = 0;
    for (uint32_t block = 0; block < pool->count; block++) mark_free(pool, block);
}

bool coppice_block_pool_keep(struct coppice_block_pool *pool, uint32_t block) {
    if (block >= pool->count || !has_bit(pool->free[0], block)) return false;
    mark_taken(pool, block);
    pool->used++;
    return true;
}

uint32_t coppice_block_pool_take(struct coppice_block_pool *pool) {
    if (pool->used >= pool->count) return COPPICE_BLOCK_NONE;
    uint32_t word = 0;
    for (uint32_t level = pool->levels; level-- > 0;) {
        word = word * 64 + (uint32_t)__builtin_ctzll(pool->free[level][word]);
    }
    mark_taken(pool, word);
    pool->used++;
    return word;
}

bool coppice_block_pool_give_back(struct coppice_block_pool *pool, uint32_t block) {
    if (block >= pool->count || has_bit(pool->free[0], block)) return false;
    mark_free(pool, block);
    pool->used--;
    return true;
}

static bool idle(const struct coppice_block_pool *pool, uint32_t block) {
    return block < pool->count && has_bit(pool->free[0], block) && has_bit(pool->resident, block) &&
           !has_bit(pool->recent, block);
}

/* Answers how many blocks from here on are idle, and forgets them. */
static uint32_t release_run(struct coppice_block_pool *pool, uint32_t first) {
    uint32_t count = 0;
    while (idle(pool, first + count)) count++;
    size_t bytes = (size_t)count * pool->block_bytes;
    if (madvise(coppice_block_pool_at(pool, first), bytes, MADV_REMOVE) < 0) return 0;
    for (uint32_t block = first; block < first + count; block++) clear_bit(pool->resident, block);
    return count;
}

uint32_t coppice_block_pool_trim(struct coppice_block_pool *pool) {
    uint32_t released = 0;
    int calls = 0;
    for (uint32_t word = 0; word < words_for(pool->count); word++) {
        uint64_t bits;
        while ((bits = pool->free[0][word] & pool->resident[word] & ~pool->recent[word])) {
            if (calls++ == COPPICE_BLOCK_POOL_TRIM_CALLS) return released;
            uint32_t run = release_run(pool, word * 64 + (uint32_t)__builtin_ctzll(bits));
            if (!run) return released;
            released += run;
        }
        pool->recent[word] = 0;
    }
    return released;
}
