#ifndef COPPICE_TEST_LOBBY_FORWARDED_HARNESS_H
#define COPPICE_TEST_LOBBY_FORWARDED_HARNESS_H

#include "shared/forwarded_for.h"

/* The client that a request names to a server which trusts 10.0.0.0/8 and fd00::/8. Each line of the input is a field
 * X-Forwarded-For, in memory of its own. Aborts unless the peer is named where that is not trusted. */
struct coppice_lobby_address harness_forwarded_for(const char *input, size_t length,
                                                   const struct coppice_lobby_address *peer);

#endif
