#ifndef COPPICE_TEST_LOBBY_CHECK_H
#define COPPICE_TEST_LOBBY_CHECK_H

/* For the C programs of the tests: says what is false and aborts. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);     \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

/* xorshift: the same numbers for the same seed. */
static inline uint32_t check_random(uint64_t *state, uint32_t below) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 11) % below;
}

#endif
