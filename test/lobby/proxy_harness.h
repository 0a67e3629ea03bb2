#ifndef COPPICE_TEST_LOBBY_PROXY_HARNESS_H
#define COPPICE_TEST_LOBBY_PROXY_HARNESS_H

#include "lobby/client/proxy_protocol.h"

/* Reads every beginning of the input as a PROXY header, each in memory of its own. Aborts unless all give one verdict,
 * which stays as it is once it is there. Answers the verdict on the whole. */
enum coppice_proxy_result harness_read_proxy(const char *input, size_t length, struct coppice_proxy_header *header);

#endif
