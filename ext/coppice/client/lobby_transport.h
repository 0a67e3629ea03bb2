#ifndef COPPICE_LOBBY_TRANSPORT_H
#define COPPICE_LOBBY_TRANSPORT_H

#include "connection.h"

/* The descriptor of the file with the body, which is the caller's. Raises Coppice::ClientGone, or Errno::EMFILE. */
int coppice_lobby_body_file(struct coppice_connection *connection);

#endif
