/* block_pool_driver SEED: a random history of blocks, compared with a plain list of owners. */

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "lobby/memory/block_pool.h"
#include "check.h"

enum { STEPS = 20000, BLOCK = 8192 };

static uint32_t count;
static bool *taken;
static struct coppice_block_pool *pool;

static uint32_t lowest_free(void) {
    for (uint32_t block = 0; block < count; block++) {
        if (!taken[block]) return block;
    }
    return COPPICE_BLOCK_NONE;
}

static void take(void) {
    uint32_t block = coppice_block_pool_take(pool);
    CHECK(block == lowest_free());
    if (block == COPPICE_BLOCK_NONE) return;
    taken[block] = true;
    memset(coppice_block_pool_at(pool, block), (int)(block % 251) + 1, BLOCK);
}

static void give_back(uint32_t block) {
    CHECK(coppice_block_pool_give_back(pool, block) == taken[block]);
    taken[block] = false;
}

static void begin_again(void) {
    memset(pool->free[0], 0x5a, (count + 63) / 64 * sizeof(uint64_t));
    coppice_block_pool_begin(pool);
    for (uint32_t block = count; block-- > 0;) {
        if (taken[block]) CHECK(coppice_block_pool_keep(pool, block) && !coppice_block_pool_keep(pool, block));
    }
    CHECK(!coppice_block_pool_keep(pool, count));
    CHECK(!coppice_block_pool_keep(pool, COPPICE_BLOCK_NONE));
}

/* What is in use stays as it is. */
static void check_contents(void) {
    uint32_t used = 0;
    for (uint32_t block = 0; block < count; block++) {
        if (!taken[block]) continue;
        char *bytes = coppice_block_pool_at(pool, block);
        CHECK((unsigned char)bytes[0] == block % 251 + 1 && (unsigned char)bytes[BLOCK - 1] == block % 251 + 1);
        used++;
    }
    CHECK(pool->used == used);
}

static uint32_t resident_blocks(void) {
    size_t pages = (size_t)count * BLOCK / 4096;
    unsigned char *states = malloc(pages);
    uint32_t resident = 0;
    CHECK(mincore(pool->memory, pages * 4096, states) == 0);
    for (size_t page = 0; page < pages; page += BLOCK / 4096) resident += states[page] & 1;
    free(states);
    return resident;
}

static void make(uint32_t blocks) {
    count = blocks;
    taken = calloc(count, sizeof(*taken));
    pool = malloc(coppice_block_pool_bytes(count));
    void *memory = mmap(NULL, (size_t)count * BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    coppice_block_pool_init(pool, memory, BLOCK, count);
}

static void drop(void) {
    munmap(pool->memory, (size_t)count * BLOCK);
    free(pool);
    free(taken);
}

/* After a burst only what is in use takes memory: from the second trim on, as the first only forgets the burst. */
static void check_trim(void) {
    make(500);
    for (uint32_t i = 0; i < count; i++) take();
    CHECK(resident_blocks() == count);
    for (uint32_t block = 0; block < count; block++) {
        if (block % 50) give_back(block);
    }
    CHECK(coppice_block_pool_trim(pool) == 0);
    CHECK(coppice_block_pool_trim(pool) == 490);
    CHECK(resident_blocks() == 10);
    check_contents();
    CHECK(coppice_block_pool_trim(pool) == 0);
    drop();
}

static void play(uint64_t *random, uint32_t blocks) {
    make(blocks);
    for (int step = 0; step < STEPS; step++) {
        uint32_t fullness = step / 1000 % 2 ? 30 : 70;
        switch (check_random(random, 1000)) {
        case 0: begin_again(); break;
        case 1: coppice_block_pool_trim(pool); break;
        case 2: check_contents(); break;
        default:
            if (check_random(random, 100) < fullness) take();
            else give_back(check_random(random, count));
        }
    }
    check_contents();
    drop();
}

int main(int argument_count, char **arguments) {
    uint64_t random = (argument_count > 1 ? strtoull(arguments[1], NULL, 10) : 1) * 2 + 1;
    check_trim();
    play(&random, 1);
    play(&random, 64);
    play(&random, 300);
    play(&random, 64 * 64 + 5);
    puts("ok");
    return EXIT_SUCCESS;
}
