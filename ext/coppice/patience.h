#ifndef COPPICE_PATIENCE_H
#define COPPICE_PATIENCE_H

/*
 * How long a worker waits for its client. It serves nobody else meanwhile, so a client may neither pause for long nor
 * be slow for long: each byte that it sends or takes earns it a little more waiting. Only time spent waiting counts, so that an
 * application may take its time between two pieces of a response. And that time is not the application's: its
 * deadline moves on by it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coppice_connection;

struct coppice_patience {
    int64_t pause_ms; /* the longest single wait */
    int64_t left_us;  /* of waiting in all, until more is earned */
    int64_t sent;     /* bytes since the last look at the socket's send queue */
    int64_t queued;   /* bytes that lay in it then */
    bool waiting;     /* a thread is at it */
};

enum coppice_wait_result {
    COPPICE_WAIT_READY,
    COPPICE_WAIT_PAUSED, /* for longer than pause_ms */
    COPPICE_WAIT_SLOW    /* nothing left */
};

/* From now on: at most `pause_ms` at a time, and no more before something is earned. */
void coppice_patience_begin(struct coppice_patience *patience, int64_t pause_ms);

/* The client sent so many bytes, or took them. bytes_per_second: the slowest that is borne; 0 for any. */
void coppice_patience_earn(struct coppice_patience *patience, size_t bytes, int64_t bytes_per_second);

/* Waits until the client's descriptor is ready for `events` (POLLIN, POLLOUT) or broken. Raises IOError when another thread parts
 * from the client meanwhile. */
enum coppice_wait_result coppice_patience_wait(struct coppice_connection *connection, short events,
                                               struct coppice_patience *patience);

#endif
