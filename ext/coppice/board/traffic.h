#ifndef COPPICE_TRAFFIC_H
#define COPPICE_TRAFFIC_H

/* What a connection counts on a row of the board, where it happens: bytes, responses, time in the proxy's queue. Each
 * is an atomic addition, so that several connections may count on one row. */

#include <ruby.h>
#include <stddef.h>
#include <stdint.h>

/* Where the columns begin; nothing is counted while `cells` is nil. */
struct coppice_traffic {
    VALUE cells;
    size_t responses, bytes_received, bytes_sent, hijacked, queue_us;
    uint64_t sent; /* bytes, to this client */
    int status;    /* of the response that has begun, else 0 */
};

/* From now on counts on this Coppice::Board::Row. */
void coppice_traffic_begin(struct coppice_traffic *traffic, VALUE row);

void coppice_traffic_received(const struct coppice_traffic *traffic, size_t bytes);
void coppice_traffic_sent(struct coppice_traffic *traffic, size_t bytes);
/* A response of this status has begun. */
void coppice_traffic_response(struct coppice_traffic *traffic, int status);
void coppice_traffic_hijacked(const struct coppice_traffic *traffic);
/* The request has waited for so long; less than 0 for not known. */
void coppice_traffic_queued(const struct coppice_traffic *traffic, int64_t us);

#endif
