#ifndef COPPICE_LOBBY_EXCHANGE_H
#define COPPICE_LOBBY_EXCHANGE_H

/*
 * What a connection does for a client of the lobby, where it would make a system call for a descriptor. All of it is
 * for a connection with `lobby` set, in the process that took the request.
 */

#include "shared/answer_ring.h"
#include "connection.h"
#include "shared/socket_io.h"

/* Whether the lobby may keep the client's connection open after the answer. */
bool coppice_lobby_keeps(const struct coppice_connection *connection);
bool coppice_lobby_client_gone(const struct coppice_connection *connection);

/* As coppice_io_send: DONE with a part of it, BLOCKED when the ring is full. more_follows: the lobby need not see it
 * before more is written, which must happen. */
enum coppice_io_result coppice_lobby_write(struct coppice_connection *connection, const struct iovec *parts, int count,
                                           bool more_follows, size_t *sent);
/* Bytes of an interim answer, at once or not at all. One that is too large for the ring is left out. */
enum coppice_io_result coppice_lobby_write_interim(struct coppice_connection *connection, const char *bytes,
                                                   size_t length);
/* The lobby sends the file's first `length` bytes itself. *supported is false when it cannot get the file. */
enum coppice_io_result coppice_lobby_write_file(struct coppice_connection *connection, int file, uint64_t length,
                                                bool *supported);
/* The request is done. flags: of coppice_record_flags; none for an answer that is cut, or that is not given. */
void coppice_lobby_end(struct coppice_connection *connection, uint8_t flags);

/* The descriptor of the file with the body, which is the caller's. Raises Coppice::ClientGone, or Errno::EMFILE. */
int coppice_lobby_body_file(struct coppice_connection *connection);
/* From now on the client is a descriptor of this process, and what it has sent meanwhile is in the connection's input.
 * Answers 0, or an error: EMFILE when this process has no number left for the descriptor, else ECONNRESET. After EMFILE
 * the client is still the lobby's, unless another thread took the last number meanwhile. */
int coppice_lobby_take_over(struct coppice_connection *connection);

#endif
