#ifndef COPPICE_HTTP_AUTHORITY_H
#define COPPICE_HTTP_AUTHORITY_H

/* host[:port], as in the Host field and in absolute-form and CONNECT targets. */

#include "http.h"

struct coppice_authority {
    struct coppice_span text; /* as sent, without the colon of an empty port */
    struct coppice_span name; /* an IPv6 address keeps its brackets */
    uint32_t port;            /* 0 if none was sent */
};

/* False if it is malformed: empty, with userinfo, a comma, a bad port, a bad address … */
bool coppice_authority_read(const uint8_t *bytes, struct coppice_span text, struct coppice_authority *authority);

/* Whether both name the same host and port. Without a port the default one is meant. */
bool coppice_authority_same(const uint8_t *bytes, const struct coppice_authority *one,
                            const struct coppice_authority *other, uint32_t default_port);

#endif
