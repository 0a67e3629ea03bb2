/* Reads a body of chunks (RFC 9112, 7.1), as far as is needed to tell its data and where it ends. Knows no socket. */
#ifndef LOAD_CHUNKS_H
#define LOAD_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum chunks_state {
    CHUNKS_SIZE,
    CHUNKS_SIZE_END, /* extensions, up to the line feed */
    CHUNKS_DATA,
    CHUNKS_DATA_END,
    CHUNKS_TRAILERS,
    CHUNKS_DONE,
    CHUNKS_MALFORMED
};

struct chunks { /* all zero: before the first byte */
    enum chunks_state state;
    uint64_t remaining;  /* bytes of this chunk */
    unsigned digits;     /* of its size */
    unsigned line_bytes; /* of this line of trailers, or of the end of the data */
};

/* Takes a run of bytes, at most `length`, that are all data or all something else: `*data` tells which. Answers how
 * many it took: 0 once it is done or has met what is no chunk. */
size_t chunks_read(struct chunks *chunks, const char *bytes, size_t length, bool *data);

#endif
