#ifndef COPPICE_CLIENT_WAIT_H
#define COPPICE_CLIENT_WAIT_H

/* Waiting without Ruby's lock. Ruby's interrupts are served meanwhile, so that one may raise. */

#include <stdbool.h>
#include <stdint.h>

#include "wait_budget.h"

struct coppice_connection;

/* Until fd is ready for `events` (POLLIN, POLLOUT) or broken; false when the deadline passed first. */
bool coppice_wait_for_fd(int fd, short events, int64_t deadline_ms);

/*
 * Until the connection's client is ready for `events` or gone, within its budget. The time is not the application's:
 * its deadline moves on by it. Raises IOError when another thread closes the connection meanwhile.
 */
enum coppice_wait_result coppice_wait_for_client(struct coppice_connection *connection, short events,
                                                 struct coppice_wait_budget *budget);

#endif
