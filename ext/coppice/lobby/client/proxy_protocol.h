#ifndef COPPICE_LOBBY_PROXY_PROTOCOL_H
#define COPPICE_LOBBY_PROXY_PROTOCOL_H

/* The header of the PROXY protocol, versions 1 and 2, with which a proxy says whom it connects for; in pure C. */

#include <stdbool.h>
#include <stddef.h>

#include "shared/lobby_memory.h"

enum {
    COPPICE_PROXY_V1_BYTES = 107, /* the longest one, with CR LF */
    COPPICE_PROXY_V2_BYTES = 16 * 1024, /* we take no longer one: a certificate of the client fits in */
    COPPICE_PROXY_BYTES = COPPICE_PROXY_V2_BYTES
};

enum coppice_proxy_result {
    COPPICE_PROXY_INCOMPLETE,
    COPPICE_PROXY_COMPLETE,
    COPPICE_PROXY_REFUSED,
    COPPICE_PROXY_TOO_LONG
};

struct coppice_proxy_header {
    size_t length;  /* the client's own bytes begin here */
    bool known;     /* else the proxy connects for itself, or cannot say for whom: the socket's addresses count */
    bool tls_known; /* the proxy says whether the client used TLS */
    bool https;     /* it did */
    struct coppice_lobby_address client, server;
};

/* Reads the first bytes of a connection; to be called again with more of them while it is incomplete. It is complete,
 * refused or too long with COPPICE_PROXY_BYTES bytes at the latest. Only of a complete one the header counts. */
enum coppice_proxy_result coppice_proxy_parse(const char *bytes, size_t length, struct coppice_proxy_header *header);

#endif
