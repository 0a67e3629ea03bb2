#ifndef COPPICE_CONNECTION_LOG_H
#define COPPICE_CONNECTION_LOG_H

/* The access log of clients that this process has accepted itself. The lobby writes the lines of its own clients. */

#include "connection.h"

/* Its env is about to be made: gives it an ID where the client sent none, and notes the time. */
void coppice_connection_identify(struct coppice_connection *connection);
/* The client is about to go: writes a line, if it has sent a request. Does not wait. */
void coppice_connection_log(struct coppice_connection *connection);

#endif
