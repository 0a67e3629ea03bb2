#ifndef COPPICE_LOBBY_COUNTERS_H
#define COPPICE_LOBBY_COUNTERS_H

/*
 * What the lobby counts on the board, in this order: one cell each, written by the loop alone. `coppice-lobby
 * --counters` prints the names. Gauges say so; all others only grow.
 */

#include <stdatomic.h>
#include <stdint.h>

#define COPPICE_LOBBY_COUNTERS(X)                                                                                      \
    X(connections)         /* gauge: open now */                                                                       \
    X(idle)                /* gauge: kept alive, without a request */                                                  \
    X(waiting)             /* gauge: requests that no worker has taken */                                              \
    X(full)                /* gauge: 1 while one more would be refused for max_waiting */                              \
    X(held_back)           /* gauge: those of them that others come before, as their routes are slow */                \
    X(paused)              /* gauge: 1 while it should accept connections and cannot */                                \
    X(accepted)            /* connections */                                                                           \
    X(requests)            /* that were queued */                                                                      \
    X(handshakes)          /* of WebSockets, which a service got */                                                     \
    X(answered)            /* by a worker, to the end */                                                               \
    X(refused_400)                                                                                                     \
    X(refused_408)                                                                                                     \
    X(refused_413)                                                                                                     \
    X(refused_414)                                                                                                     \
    X(refused_417)                                                                                                     \
    X(refused_431)                                                                                                     \
    X(refused_501)                                                                                                     \
    X(refused_505)                                                                                                     \
    X(refused_507)         /* no room for a body */                                                                    \
    X(lost_502)            /* the worker died, and the request may not be repeated */                                  \
    X(shed_max_waiting)    /* 503: as many wait as may */                                                              \
    X(shed_queue_timeout)  /* 503: no worker took it in time */                                                        \
    X(shed_stopping)       /* 503: the server stops */                                                                 \
    X(shed_max_connections) /* 503, or no answer: no connection or descriptor is left */                               \
    X(shed_client_limit)   /* 503: this client has max_connections_per_client */                                       \
    X(shed_handshakes)     /* 503: the service for them is not there, or busy */                                       \
    X(shed_memory)         /* 503: no buffer for a slow request is left */                                             \
    X(expired_504)         /* the worker is past its deadline */                                                       \
    X(retried)             /* given to another worker */                                                               \
    X(client_gone)         /* before its request was answered */                                                       \
    X(slow_readers)        /* cut off: too slow for client_write_timeout or client_min_rate */                         \
    X(evicted)             /* idle, to make room */                                                                    \
    X(spoilt)              /* answer rings that a worker has spoilt */                                                 \
    X(takeovers)           /* deaths of the loop that a successor survived */                                          \
    X(bytes_in)                                                                                                        \
    X(bytes_out)                                                                                                       \
    X(buffered_bytes)      /* gauge: of answers, in memory */                                                          \
    X(file_bytes)          /* gauge: of bodies and answers, in files */                                                \
    X(log_lines_dropped)   /* of the access log */

enum lobby_counter {
#define X(name) LOBBY_##name,
    COPPICE_LOBBY_COUNTERS(X)
#undef X
        LOBBY_COUNTERS
};

static inline void lobby_count_to(_Atomic int64_t *cells, enum lobby_counter counter, int64_t value) {
    atomic_store_explicit(&cells[counter], value, memory_order_relaxed);
}

/* One writer: a load and a store are enough. */
static inline void lobby_count_add(_Atomic int64_t *cells, enum lobby_counter counter, int64_t more) {
    lobby_count_to(cells, counter, atomic_load_explicit(&cells[counter], memory_order_relaxed) + more);
}

#endif
