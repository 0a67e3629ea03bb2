#include "traffic.h"

#include <stdatomic.h>

#include "cells.h"
#include "histogram.h"

enum { RESPONSE_CLASSES = 5 };

void coppice_traffic_begin(struct coppice_traffic *traffic, VALUE row) {
    traffic->responses = coppice_cells_column(row, "responses", RESPONSE_CLASSES).index;
    traffic->bytes_received = coppice_cells_column(row, "bytes_received", 1).index;
    traffic->bytes_sent = coppice_cells_column(row, "bytes_sent", 1).index;
    traffic->hijacked = coppice_cells_column(row, "hijacked", 1).index;
    traffic->queue_us = coppice_cells_column(row, "queue_us", COPPICE_HISTOGRAM_CELLS).index;
    traffic->cells = rb_funcall(row, rb_intern("cells"), 0);
}

static void add(const struct coppice_traffic *traffic, size_t index, int64_t number) {
    if (NIL_P(traffic->cells)) return;
    atomic_fetch_add_explicit(coppice_cells_at(traffic->cells, index, 1), number, memory_order_relaxed);
}

void coppice_traffic_received(const struct coppice_traffic *traffic, size_t bytes) {
    add(traffic, traffic->bytes_received, (int64_t)bytes);
}

void coppice_traffic_sent(struct coppice_traffic *traffic, size_t bytes) {
    traffic->sent += bytes;
    add(traffic, traffic->bytes_sent, (int64_t)bytes);
}

void coppice_traffic_response(struct coppice_traffic *traffic, int status) {
    traffic->status = status;
    int class = status / 100;
    if (class >= 1 && class <= RESPONSE_CLASSES) add(traffic, traffic->responses + (size_t)(class - 1), 1);
}

void coppice_traffic_hijacked(const struct coppice_traffic *traffic) {
    add(traffic, traffic->hijacked, 1);
}

void coppice_traffic_queued(const struct coppice_traffic *traffic, int64_t us) {
    if (NIL_P(traffic->cells) || us < 0) return;
    coppice_histogram_add(traffic->cells, traffic->queue_us, us);
}
