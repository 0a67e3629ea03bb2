#ifndef COPPICE_ACCEPT_H
#define COPPICE_ACCEPT_H

#include "connection.h"
#include "lobby_seat.h"

/*
 * A client whose head was read and parsed elsewhere; read_head does not parse it again. `bytes` begin with the head's
 * and go on with the body bytes that came along. The offsets are trusted: they must be the parser's.
 *
 * Everything is copied, so head and bytes need to be valid during the call only: their owner may reuse that memory
 * while the application still reads its request, and a process that is forked meanwhile has a copy of its own. The
 * descriptor is the connection's from here on, unless an exception says that it could not take it.
 *
 * Before the first body byte the client is sent 100 Continue if head->expects_continue: clear it if that was done.
 */
void coppice_connection_take_head(struct coppice_connection *connection, int fd, const char *address,
                                  const struct coppice_request_head *head, const char *bytes, size_t length);

/* Raises IOError while the last client is still on the Connection `self`. */
void coppice_connection_check_vacant(VALUE self);
/* The request that `seat`, the LobbySeat of `seat_object`, has in hand, for the Connection `self`. Head and bytes are
 * copied. false when the slot makes no sense. */
bool coppice_connection_take_slot(VALUE self, VALUE seat_object, struct coppice_lobby_seat *seat);

#endif
