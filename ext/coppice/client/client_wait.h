#ifndef COPPICE_CLIENT_WAIT_H
#define COPPICE_CLIENT_WAIT_H

/* Waiting for a client without Ruby's lock: see fd_wait.h. */

#include "shared/wait_budget.h"

struct coppice_connection;

/*
 * Until the connection's client, or the lobby in its place, is ready for `events` or gone, within its budget. The time is
 * not the application's: its deadline moves on by it. Raises IOError when another thread closes the connection meanwhile.
 */
enum coppice_wait_result coppice_wait_for_client(struct coppice_connection *connection, short events,
                                                 struct coppice_wait_budget *budget);

#endif
