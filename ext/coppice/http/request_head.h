#ifndef COPPICE_HTTP_REQUEST_HEAD_H
#define COPPICE_HTTP_REQUEST_HEAD_H

/*
 * What the parser found in a request's head, in pure C: what a connection needs to make its env and to read the body.
 * It is one block without pointers: all places are offsets from the head's first byte. So it can be copied, or lie in
 * memory that processes share at different addresses, and a process that has it and the bytes need not parse again.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coppice_span {
    uint32_t offset;
    uint32_t length;
};

struct coppice_field {
    struct coppice_span name;
    struct coppice_span value; /* without surrounding blanks */
};

struct coppice_request_head {
    uint64_t content_length;
    uint32_t length; /* with an empty line before it and the one that ends it: the body begins here; 0 until then */

    struct coppice_span method;
    struct coppice_span target;    /* the request target as sent */
    struct coppice_span path;      /* "/a/b"; "*" for OPTIONS *; empty for CONNECT and an absolute form without path */
    struct coppice_span query;     /* without "?" */
    struct coppice_span scheme;    /* of an absolute-form target, else empty */
    struct coppice_span authority; /* of an absolute-form or CONNECT target, else empty */
    struct coppice_span host;      /* the Host field's value; as authority, without the colon of an empty port */

    uint8_t minor_version; /* 0 or 1 */
    bool has_query;
    bool has_content_length;
    bool chunked;
    bool keep_alive;       /* what the client asks for: version and Connection */
    bool expects_continue; /* only in HTTP/1.1 and before a body */
    bool upgrade;          /* Connection: upgrade with an Upgrade field, in HTTP/1.1 */

    uint32_t field_count;
    struct coppice_field fields[]; /* as many as the owner has room for */
};

/* The bytes of a head with so many fields. */
static inline size_t coppice_request_head_size(uint32_t field_count) {
    return sizeof(struct coppice_request_head) + field_count * sizeof(struct coppice_field);
}

#endif
