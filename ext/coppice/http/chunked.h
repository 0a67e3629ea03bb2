#ifndef COPPICE_CHUNKED_H
#define COPPICE_CHUNKED_H

/*
 * A strict decoder of the chunked transfer coding in pure C: no Ruby, no
 * allocation, no copy. Each call walks over input bytes and hands back at most
 * one run of body bytes as a span into the input.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum coppice_chunked_result {
    COPPICE_CHUNKED_MORE,    /* all input is used up; call again with more */
    COPPICE_CHUNKED_DATA,    /* a run of body bytes: data_offset, data_length; call again with the rest */
    COPPICE_CHUNKED_END,     /* the last chunk and its trailers are read */
    COPPICE_CHUNKED_REFUSED  /* see decoder->error */
};

enum coppice_chunked_error {
    COPPICE_CHUNKED_OK = 0,
    COPPICE_CHUNKED_BAD_SIZE,          /* 400 */
    COPPICE_CHUNKED_BAD_EXTENSION,     /* 400 */
    COPPICE_CHUNKED_LARGE_EXTENSIONS,  /* 400 */
    COPPICE_CHUNKED_BAD_LINE_END,      /* 400 */
    COPPICE_CHUNKED_BAD_TRAILER,       /* 400 */
    COPPICE_CHUNKED_FORBIDDEN_TRAILER, /* 400: a field that frames or routes the message */
    COPPICE_CHUNKED_LARGE_TRAILERS,    /* 431 */
    COPPICE_CHUNKED_LARGE_BODY         /* 413 */
};

struct coppice_chunked_limits {
    uint64_t body_bytes;      /* decoded bytes; UINT64_MAX for none */
    uint32_t line_bytes;      /* one chunk-size line */
    uint32_t extension_bytes; /* all extensions of the body together */
    uint32_t trailer_bytes;
    uint32_t trailer_count;
};

struct coppice_chunked {
    struct coppice_chunked_limits limits;
    uint8_t state;
    enum coppice_chunked_error error;
    uint64_t remaining; /* of the chunk being read */
    uint64_t decoded;   /* body bytes handed out so far */
    uint32_t size_digits;
    uint32_t line_length;
    uint32_t extension_length;
    uint32_t trailer_length;
    uint32_t trailer_count;
    uint32_t name_length;
    char name[32]; /* start of the trailer name being read, lower case, to know the forbidden ones */
};

void coppice_chunked_init(struct coppice_chunked *decoder, const struct coppice_chunked_limits *limits);

/* Begins the body of a request: only its size is the user's choice. */
void coppice_chunked_init_request(struct coppice_chunked *decoder, uint64_t body_bytes);

/* Walks over input; *consumed bytes of it are done with. On DATA the run is input[*data_offset, *data_length]
 * and lies within the consumed bytes. */
enum coppice_chunked_result coppice_chunked_decode(struct coppice_chunked *decoder, const char *input, size_t length,
                                                   size_t *consumed, size_t *data_offset, size_t *data_length);

int coppice_chunked_error_status(enum coppice_chunked_error error);
const char *coppice_chunked_error_reason(enum coppice_chunked_error error);

#endif
