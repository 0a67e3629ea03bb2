#ifndef COPPICE_TRUSTED_NETWORKS_H
#define COPPICE_TRUSTED_NETWORKS_H

/* The proxies whose headers are believed, in pure C: option trusted_proxies. */

#include <stdbool.h>
#include <stdint.h>

#include "lobby_address.h"

enum { COPPICE_TRUSTED_NETWORKS = 512 };

/* Addresses with the same first `bits`. */
struct coppice_network {
    struct coppice_lobby_address address;
    uint16_t bits;
};

struct coppice_trusted_networks {
    uint32_t count;
    struct coppice_network networks[COPPICE_TRUSTED_NETWORKS];
};

/* Adds "10.0.0.0/8", or an address alone. False: it is neither, or there is no room for it. */
bool coppice_trusted_networks_add(struct coppice_trusted_networks *trusted, const char *text);
/* Whether the address lies in one of them. The peer of a Unix socket is always trusted: it is on this machine, and has
 * the permission to write to the socket. */
bool coppice_trusted_networks_include(const struct coppice_trusted_networks *trusted,
                                      const struct coppice_lobby_address *address);

#endif
