#ifndef COPPICE_HTTP_PARSER_H
#define COPPICE_HTTP_PARSER_H

/*
 * A strict HTTP/1.x request head parser in pure C: no Ruby, no allocation, no
 * global state, no I/O. The caller owns the buffer and the head that is filled.
 *
 * The parser is incremental: call coppice_http_parse again with the same, longer
 * buffer after each read (the buffer may have moved: everything is kept as an
 * offset). Each byte is looked at once, and a wrong byte is refused when it is
 * seen, so that a verdict never depends on how the bytes were split.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "request_head.h"

enum coppice_http_result {
    COPPICE_HTTP_INCOMPLETE, /* every byte so far is good, more are needed */
    COPPICE_HTTP_COMPLETE,   /* parser->head says what it is and where it ends */
    COPPICE_HTTP_REFUSED     /* see parser->error */
};

/* Why a head was refused; coppice_http_error_status and _reason describe each. */
enum coppice_http_error {
    COPPICE_HTTP_OK = 0,
    COPPICE_HTTP_BAD_METHOD,             /* 400 */
    COPPICE_HTTP_UNKNOWN_METHOD,         /* 501 */
    COPPICE_HTTP_BAD_TARGET,             /* 400 */
    COPPICE_HTTP_LONG_REQUEST_LINE,      /* 414 */
    COPPICE_HTTP_BAD_VERSION,            /* 400 */
    COPPICE_HTTP_UNSUPPORTED_VERSION,    /* 505 */
    COPPICE_HTTP_BAD_LINE_END,           /* 400: bare LF, CR without LF */
    COPPICE_HTTP_BAD_FIELD_NAME,         /* 400 */
    COPPICE_HTTP_BAD_FIELD_VALUE,        /* 400 */
    COPPICE_HTTP_FOLDED_FIELD,           /* 400: obs-fold */
    COPPICE_HTTP_LARGE_HEAD,             /* 431: bytes */
    COPPICE_HTTP_MANY_FIELDS,            /* 431: count */
    COPPICE_HTTP_REPEATED_FIELD,         /* 400: Host, Content-Length, Content-Type, Authorization twice */
    COPPICE_HTTP_BAD_CONTENT_LENGTH,     /* 400 */
    COPPICE_HTTP_BAD_TRANSFER_ENCODING,  /* 400 */
    COPPICE_HTTP_UNKNOWN_TRANSFER_ENCODING, /* 501 */
    COPPICE_HTTP_AMBIGUOUS_LENGTH,       /* 400: Content-Length with Transfer-Encoding, TE in 1.0 */
    COPPICE_HTTP_BAD_HOST,               /* 400: missing in 1.1, malformed, or not the target's */
    COPPICE_HTTP_BAD_EXPECTATION,        /* 417 */
    COPPICE_HTTP_NOT_HTTP,               /* 400: a TLS hello */
    COPPICE_HTTP_HTTP2_PREFACE           /* 505 */
};

struct coppice_http_limits {
    uint32_t request_line_bytes; /* with its line end, and an empty line before it */
    uint32_t header_bytes;       /* the whole head */
};

struct coppice_http_parser {
    struct coppice_http_limits limits;
    struct coppice_request_head *head; /* the caller's: what was found so far, whole after COMPLETE */
    uint32_t field_capacity;           /* the head's room for fields is the limit of header lines */

    uint32_t position; /* bytes looked at */
    uint8_t state;
    enum coppice_http_error error;
    uint32_t mark; /* where the piece being read began */
    uint16_t seen; /* the fields met that frame or route: framing.c */
};

/* head: of at least coppice_request_head_size(field_capacity) bytes. */
void coppice_http_parser_init(struct coppice_http_parser *parser, const struct coppice_http_limits *limits,
                              struct coppice_request_head *head, uint32_t field_capacity);

/* A parser that goes on in another head, which has as much room: with the field that has begun, which field_count does
 * not count yet. */
void coppice_http_parser_move(struct coppice_http_parser *parser, const struct coppice_http_parser *from,
                              struct coppice_request_head *head);

/* buffer holds all bytes of the connection so far; length never shrinks between calls. */
enum coppice_http_result coppice_http_parse(struct coppice_http_parser *parser, const char *buffer, size_t length);

/* The answer's status for an error, and a sentence for people and logs. */
int coppice_http_error_status(enum coppice_http_error error);
const char *coppice_http_error_reason(enum coppice_http_error error);

#endif
