#ifndef COPPICE_TEST_BOUNDED_POLL_H
#define COPPICE_TEST_BOUNDED_POLL_H

/*
 * Waits as test/support/bounded_wait.rb does: in turns that count 250 ms however long they took, so that a machine that
 * stands still uses up nothing. COPPICE_PATIENCE multiplies them.
 */
#include <poll.h>
#include <stdlib.h>

enum { TURN_MS = 250 };

/* As poll(2), with the milliseconds that this program waits at most. */
static inline int bounded_poll(struct pollfd *descriptors, nfds_t count, int limit_ms) {
    const char *factor = getenv("COPPICE_PATIENCE");
    double left_ms = limit_ms * (factor ? strtod(factor, NULL) : 1);
    int ready = 0;
    for (; left_ms > 0 && ready == 0; left_ms -= TURN_MS) ready = poll(descriptors, count, TURN_MS);
    return ready;
}

#endif
