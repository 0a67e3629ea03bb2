#ifndef COPPICE_FORWARDED_FOR_H
#define COPPICE_FORWARDED_FOR_H

/* The client that proxies name in X-Forwarded-For, in pure C. */

#include "http_request_head.h"
#include "lobby_memory.h"
#include "trusted_networks.h"

/*
 * From the right of X-Forwarded-For the first address that is not trusted; without one the leftmost; what `peer` is
 * where that is not trusted itself. As real_ip_recursive of nginx and Rack::Request#ip do it. It ends at what is not an
 * address, and after COPPICE_FORWARDED_HOPS items, with the last address before that. `bytes` are the head's.
 */
enum { COPPICE_FORWARDED_HOPS = 32 };
struct coppice_lobby_address coppice_forwarded_for(const struct coppice_request_head *head, const char *bytes,
                                                   const struct coppice_trusted_networks *trusted,
                                                   const struct coppice_lobby_address *peer);

#endif
