#ifndef COPPICE_RESPONSE_H
#define COPPICE_RESPONSE_H

#include "connection.h"

/* Nothing is answered yet. */
void coppice_response_reset(struct coppice_connection *connection);

#endif
