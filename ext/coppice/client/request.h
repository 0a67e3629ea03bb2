#ifndef COPPICE_REQUEST_H
#define COPPICE_REQUEST_H

#include "connection.h"
#include "shared/socket_io.h"

/* Nothing of the client's request is read yet. */
void coppice_request_reset(struct coppice_connection *connection);

/* Waits for at least one byte from the client; TIMEOUT when it has used up its read budget. */
enum coppice_io_result coppice_request_receive(struct coppice_connection *connection, char *bytes, size_t capacity,
                                               size_t *received);

/* As Connection#read_head, for a client whose bytes come from its descriptor. */
VALUE coppice_request_begin(struct coppice_connection *connection);
/* Answers the status. */
VALUE coppice_request_refuse(struct coppice_connection *connection, int status, const char *reason);

/* The same, appended to the connection's input. */
enum coppice_io_result coppice_request_receive_input(struct coppice_connection *connection);

#endif
