#ifndef COPPICE_RESPONSE_HEAD_H
#define COPPICE_RESPONSE_HEAD_H

/* From a Rack status and headers to the bytes of a response head, checked; and to the way the body is framed. */

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>

#include "shared/byte_buffer.h"

enum coppice_framing_kind {
    COPPICE_FRAMING_NONE,       /* no body: HEAD, 101, 204, 205, 304, a tunnel that CONNECT opened */
    COPPICE_FRAMING_LENGTH,     /* `remaining` bytes */
    COPPICE_FRAMING_CHUNKED,    /* chunks that we make */
    COPPICE_FRAMING_AS_GIVEN,   /* chunks that the application made */
    COPPICE_FRAMING_UNTIL_CLOSE /* the end of the connection is the end of the body */
};

struct coppice_framing {
    enum coppice_framing_kind kind;
    int status;
    uint64_t remaining;
    bool keep;          /* the connection may stay open after it */
    uint64_t surplus; /* bytes that the application wrote beyond its content-length */
};

/* What is known of the body before it is written, besides a length. */
enum coppice_body_length { COPPICE_LENGTH_UNKNOWN = -1, COPPICE_LENGTH_NOT_OURS = -2 };

struct coppice_response_request {
    bool head;         /* the method is HEAD */
    bool connect;      /* it is CONNECT */
    bool http10;       /* the client cannot read chunks */
    bool keep;         /* the connection may stay open, if the response allows it */
    bool joined_lines; /* a line feed in a value separates several (Rack 2), instead of being an attack */
};

/* Appends the head to output. body_length is a number of bytes or an enum coppice_body_length. Raises
 * Coppice::ResponseError, saying what is wrong. */
struct coppice_framing coppice_response_head(struct coppice_byte_buffer *output, VALUE status, VALUE headers,
                                             int64_t body_length, const struct coppice_response_request *request);

/* Appends only header lines, for an interim answer or trailers; skips names that frame a message. */
void coppice_response_fields(struct coppice_byte_buffer *output, VALUE headers, bool joined_lines);

#endif
