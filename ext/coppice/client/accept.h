#ifndef COPPICE_ACCEPT_H
#define COPPICE_ACCEPT_H

#include "connection.h"
#include "lobby_seat.h"

/* Raises IOError while the last client is still on the Connection `self`. */
struct coppice_connection *coppice_connection_vacant(VALUE self);
/* The request that `seat`, the LobbySeat of `seat_object`, has in hand. Head and bytes are copied. false when the slot
 * makes no sense. */
bool coppice_connection_take_slot(struct coppice_connection *connection, VALUE seat_object,
                                  struct coppice_lobby_seat *seat);

#endif
