/* Reads one answer: where it ends, and whether it is the one that was asked for. Knows no socket. */
#ifndef LOAD_ANSWER_H
#define LOAD_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chunks.h"

enum { ANSWER_HEAD_BYTES = 16384, ANSWER_TEXT_BYTES = 64 };

enum verdict {
    VERDICT_MORE, /* not at its end yet */
    VERDICT_WHOLE,
    VERDICT_RESET, /* ended before its head was whole */
    VERDICT_STATUS,
    VERDICT_LENGTH
};

/* Where the body ends: after content-length, after the last chunk, or with the connection. */
enum framing { FRAMING_LENGTH, FRAMING_CHUNKS, FRAMING_UNTIL_CLOSE };

struct answer { /* all zero: before the first byte */
    bool head_whole, closes; /* closes: this is the last answer on its connection */
    enum framing framing;
    struct chunks chunks;
    uint64_t promised;    /* with FRAMING_LENGTH */
    uint64_t body_length; /* so far */
    size_t head_length;
    char head[ANSWER_HEAD_BYTES];
    char text[ANSWER_TEXT_BYTES]; /* how the body begins */
};

void answer_begin(struct answer *answer);

/* What has been received. `expected` is the length of the body, or -1 for any. */
enum verdict answer_read(struct answer *answer, const char *bytes, size_t length, int64_t expected);

/* The server has closed. */
enum verdict answer_end(const struct answer *answer, int64_t expected);

/* How many of the next bytes can only be the rest of a long body: it is enough to count them, with answer_skip. */
size_t answer_opaque(const struct answer *answer);
enum verdict answer_skip(struct answer *answer, size_t length, int64_t expected);

#endif
