#ifndef COPPICE_OUTPUT_H
#define COPPICE_OUTPUT_H

/* Sending what a connection has gathered. All but the interim answer wait for a slow client, and raise
 * Coppice::ClientGone when it is gone, pauses for client_write_timeout, or is slower than client_min_rate. */

#include "connection.h"

/* What is gathered, then `length` bytes of the String `body` (or Qfalse), then the text `tail` (or NULL). */
void coppice_output_send(struct coppice_connection *connection, VALUE body, size_t length, const char *tail);
void coppice_output_flush(struct coppice_connection *connection);
/* The same, but the kernel may hold it until more follows, which must. */
void coppice_output_cork(struct coppice_connection *connection);
/* The kernel has taken so many bytes of the response; the client may not have yet. */
void coppice_output_sent(struct coppice_connection *connection, size_t bytes);
/* Until there is room in the socket. */
void coppice_output_wait(struct coppice_connection *connection);
/* Sends `bytes` now, apart from any response; false when the client is gone. */
bool coppice_output_send_interim(struct coppice_connection *connection, const char *bytes, size_t length);

#endif
