/* When the requests of an open loop are due. */
#ifndef LOAD_ARRIVALS_H
#define LOAD_ARRIVALS_H

#include <stdint.h>

#include "options.h"

/* Once, when the load begins. */
void arrivals_prepare(const struct options *options, uint64_t began_ns);

/* The instant of the next request; 0, which is in the past, in a closed loop. */
uint64_t arrivals_due(void);

/* That request has begun. */
void arrivals_next(void);

#endif
