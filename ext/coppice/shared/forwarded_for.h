#ifndef COPPICE_FORWARDED_FOR_H
#define COPPICE_FORWARDED_FOR_H

/* The client that proxies name in X-Forwarded-For, in pure C. */

#include "http/http.h"
#include "lobby_address.h"
#include "trusted_networks.h"

/*
 * Returns the last address in X-Forwarded-For that is not trusted. If all are trusted, returns the first. If the peer is
 * not trusted, returns the peer. That is the rule of nginx's real_ip_recursive. The search ends at what is not an
 * address, and after COPPICE_FORWARDED_HOPS items: then returns the last address before that. `bytes` are the head's.
 */
enum { COPPICE_FORWARDED_HOPS = 32 };
struct coppice_lobby_address coppice_forwarded_for(const struct coppice_request_head *head, const char *bytes,
                                                   const struct coppice_trusted_networks *trusted,
                                                   const struct coppice_lobby_address *peer);

#endif
