#ifndef COPPICE_WAIT_BUDGET_H
#define COPPICE_WAIT_BUDGET_H

/*
 * How long the server waits for a client, in pure C: no Ruby, no I/O. A client may neither pause for long nor be slow
 * for long: each byte that it sends or takes earns it a little more waiting. Only time spent waiting counts, so that
 * an application may take its time between two pieces of a response.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coppice_wait_budget {
    int64_t pause_ms;      /* the longest pause */
    int64_t pause_left_ms; /* of the present one */
    int64_t left_us;       /* of waiting in all, until more is earned */
    int64_t sent;          /* bytes that the kernel has taken since the last look at the socket's send queue */
    int64_t queued;        /* bytes that were in that queue then */
    bool waiting;          /* a thread waits for the client */
};

enum coppice_wait_result {
    COPPICE_WAIT_READY,
    COPPICE_WAIT_PAUSED, /* for longer than pause_ms */
    COPPICE_WAIT_SLOW    /* no waiting time is left */
};

/* From now on: pauses of at most `pause_ms`, and no more than that in all before something is earned. */
void coppice_wait_budget_reset(struct coppice_wait_budget *budget, int64_t pause_ms);

/* The client sent so many bytes, or took them. bytes_per_second: the slowest rate that is tolerated; 0 for any. */
void coppice_wait_budget_earn(struct coppice_wait_budget *budget, size_t bytes, int64_t bytes_per_second);

/* The client has to move some bytes, and has the whole pause to begin. */
void coppice_wait_budget_begin(struct coppice_wait_budget *budget);

/* How long to wait for it next; 0 when it has paused for too long or is too slow. */
int64_t coppice_wait_budget_slice_ms(const struct coppice_wait_budget *budget);
void coppice_wait_budget_spend(struct coppice_wait_budget *budget, int64_t waited_ms);

/* PAUSED or SLOW, when the next slice is 0. */
enum coppice_wait_result coppice_wait_budget_verdict(const struct coppice_wait_budget *budget);

/*
 * Credits a client that reads with what it took since the last look: what was sent, less what the kernel still keeps
 * for it, which may be megabytes. Whatever it took ends its pause. A Unix socket counts more bytes in its queue than
 * were sent, so the difference may be negative.
 */
void coppice_wait_budget_credit_reader(struct coppice_wait_budget *budget, int64_t queued, int64_t bytes_per_second);

#endif
