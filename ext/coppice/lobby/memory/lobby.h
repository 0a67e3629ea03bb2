#ifndef COPPICE_LOBBY_H
#define COPPICE_LOBBY_H

/*
 * The lobby: the process that owns all clients. Everything that a successor of the loop needs lies in one piece of
 * shared memory, struct coppice_lobby, which is mapped before the first loop is made. So it is at the same address in
 * each of them, and may contain pointers into itself.
 *
 * A connection without a request has no buffer. Bytes of a request that is not complete yet are in an intake block,
 * bytes of an answer that the client does not take are in output blocks. A request that is complete is in a slot, which
 * is its alone until its END was read, or its worker is gone.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "shared/answer_ring.h"
#include "http/http.h"
#include "shared/lobby_memory.h"
#include "shared/request_queue.h"
#include "shared/wait_budget.h"
#include "shared/access_log.h"
#include "block_pool.h"
#include "counters.h"
#include "route_costs.h"
#include "shared/request_ids.h"
#include "settings.h"
#include "timer_wheel.h"
#include "turns.h"

#define LOBBY_NONE UINT32_MAX
#define LOBBY_BACKLOG (-5) /* in the place of a request's owner: it waits in the lobby itself */
#define LOBBY_SPARES 3 /* as many as come with a seat */

enum lobby_state {
    LOBBY_FREE,      /* no connection */
    LOBBY_HEAD,      /* its head is not complete, or there is no byte of it yet */
    LOBBY_BODY,      /* its body is not complete */
    LOBBY_QUEUED,    /* a worker has its request, or will have it */
    LOBBY_FLUSHING,  /* answered, but not all of it has been sent */
    LOBBY_IDLE,      /* kept alive */
    LOBBY_LINGERING, /* answered, and what the client still sends is discarded */
};

enum lobby_connection_flags {
    LOBBY_REGISTERED = 1,   /* epoll knows it */
    LOBBY_READABLE = 2,     /* an edge was seen, and has not been read */
    LOBBY_HALF_CLOSED = 4,  /* the client will send no more than there is */
    LOBBY_TRUSTED_PEER = 8, /* a proxy */
    LOBBY_PROXY_DUE = 16,   /* a PROXY header comes first */
    LOBBY_LARGE = 32,       /* its intake block is a large one */
    LOBBY_HAD_BODY = 64,
    LOBBY_NO_KEEP = 128,    /* bytes of it were dropped: nothing more can be read from it */
    LOBBY_HAD_REQUEST = 256,
    LOBBY_NAMED = 512,      /* a PROXY header has named its client, who is counted even behind a trusted proxy */
    LOBBY_LAST_REQUEST = 1024, /* the client has asked to close the connection after it */
    LOBBY_HTTPS = 2048,     /* the client used TLS to the proxy */
    LOBBY_UPLOAD = 4096,    /* it is in the list of uploads */
    LOBBY_PASSED = 8192     /* another process has it, or has it soon */
};

struct lobby_connection {
    struct coppice_timer timer; /* what for depends on the state */
    int32_t fd;
    uint32_t generation;     /* grows with each client, so that an event for another one is noticed */
    uint64_t serial;         /* of its request; 0 without one */
    int64_t arrived_us;      /* the first byte of its request */
    int64_t lingers_until_ms;
    uint32_t next, previous; /* of its list: idle ones, uploads, or free ones */
    uint32_t intake;         /* block, or LOBBY_NONE */
    uint32_t output;         /* block of a struct lobby_output, or LOBBY_NONE */
    uint8_t state, listener;
    uint16_t flags;
    struct coppice_lobby_address client;
    struct coppice_lobby_address server; /* as a PROXY header says, or family 0 */
    uint32_t client_entry;   /* clients.c, or LOBBY_NONE */
};

_Static_assert(sizeof(struct lobby_connection) <= 128, "10,000 idle connections are to cost little");

/* Begins an intake block; the bytes are at lobby->intake_overhead. */
struct lobby_intake {
    struct coppice_http_parser parser; /* its head is the one below */
    struct coppice_chunked chunked;
    struct coppice_wait_budget budget;
    int64_t waits_since_ms;
    uint64_t body_remaining; /* with content-length: bytes that are to come */
    uint64_t file_length;    /* of the body that is in the file already */
    int32_t file;            /* -1 without one */
    uint32_t capacity, length;
    uint32_t body_length;    /* bytes of the body behind the head, without chunks */
    bool head_complete, body_complete;
    struct coppice_request_head head;
};

/* A page: an answer that waits for its client to read. Blocks go first, then the spilled bytes, then the file. */
struct lobby_output {
    uint32_t first, last; /* blocks */
    uint64_t buffered;    /* bytes in blocks */
    int32_t spill;        /* file of bytes that were too many for memory, or -1 */
    int32_t file;         /* file that a worker has passed, or -1 */
    uint64_t spill_at, spill_end;
    uint64_t file_at, file_end;
    struct coppice_wait_budget budget;
    int64_t waits_since_ms;
    int64_t begun_ms;     /* the client did not take a byte then */
    uint64_t sent;        /* since then */
    uint8_t end;          /* enum lobby_end: what follows the last byte */
};

struct lobby_output_block {
    uint32_t next;
    uint32_t from, to; /* bytes that are not sent yet */
    char bytes[];
};

enum lobby_end { LOBBY_END_OPEN, LOBBY_END_KEEP, LOBBY_END_CLOSE, LOBBY_END_RESET };

/* What the lobby itself knows of a slot; workers cannot change it. */
struct lobby_request {
    uint64_t serial;     /* 0: the slot is free */
    uint32_t connection; /* LOBBY_NONE once nobody will get the answer */
    uint32_t position;   /* in the queue */
    uint32_t next_free;
    int32_t owner;       /* seat, COPPICE_QUEUE_UNOWNED as long as that was not looked up, or LOBBY_BACKLOG */
    int32_t body_file;   /* -1: there is none, or its worker alone has it */
    uint64_t body_file_bytes; /* of either */
    uint64_t sent;       /* bytes of the answer */
    int64_t started_us;  /* as its worker said; 0: unknown */
    uint16_t status;
    bool answered;       /* its HEAD was read */
    bool keep;           /* as its HEAD said */
    bool idempotent, head_only, retried;
    bool spares_heir;    /* another worker is to take it */
    bool runs;           /* its route counts it: it was given to the workers */
    uint32_t route;      /* in the table of costs */
    uint32_t place;      /* in the backlog */
    uint32_t flow, round; /* that it is charged to; LOBBY_NONE: it did not wait */
    uint32_t cost_us;    /* that it was charged with */
    int64_t start_us;    /* of its turn */
    bool logged;         /* the access log has its line */
    bool abandoned;      /* its worker is gone */
    uint16_t verdict;    /* the status that its client is to get instead of its worker's answer; 0: none */
    const char *reason;  /* for that */
};

/* One in the backlog. */
struct lobby_waiting {
    int64_t start_us;
    uint64_t serial;
    uint32_t slot, route;
};

struct lobby_seat {
    bool used, broken, stalled;
    bool lost;           /* it came without its descriptors, so nobody reads its worker's answers */
    bool first;          /* woken before all others: a new mold's first worker, which has to prove itself; the heir */
    uint16_t worker;     /* its slot number */
    uint32_t generation;
    int32_t ring_fd, event_fd, socket_fd;
    int32_t file;        /* came on the socket; its FILE record did not come yet. -1 without one */
    bool file_lost;      /* its packet came without it: no descriptor was left */
    uint64_t file_serial;
    uint64_t asks_for;   /* the request whose client its worker wants; 0: none */
    uint64_t inode;      /* of the ring */
    uint64_t position;   /* in the ring */
    uint64_t deadline_at, started_at; /* bytes on the board */
    uint32_t next, previous; /* order in which they are woken */
};

struct lobby_client_count;

/* Of connections, by `next` and `previous`. */
struct lobby_list {
    uint32_t first, last;
};

struct coppice_lobby {
    struct lobby_settings settings;
    int32_t channel_fd, epoll_fd, requests_fd, queue_fd, board_fd, event_fd, reserve_fd, directory_fd;
    int32_t handshakes_fd; /* of the service that gets them; -1: nobody */
    char handshakes_path[LOBBY_HANDSHAKES_PATH_BYTES]; /* empty: none are told from other requests */
    int32_t listener_fds[LOBBY_LISTENERS];
    int32_t spare_fds[LOBBY_SPARES]; /* -1: lent, or taken */

    struct coppice_lobby_requests *requests;
    struct coppice_request_queue *queue;
    char *board;
    uint64_t board_bytes;
    _Atomic int64_t *counters;
    char *held_route; /* on the board, behind them: the name of the route that has most requests held back, or nothing */
    _Atomic int64_t *seen_ms;    /* the loop notes the time here; NULL without such a cell */

    struct lobby_connection *connections;
    struct lobby_request *slots; /* the last one is never pushed: bytes are read into it when all others are taken */
    struct lobby_seat *seats;
    uint32_t *pushed;            /* which slot is in each cell of the queue */
    struct lobby_waiting *backlog;
    struct lobby_route_costs *costs;
    struct lobby_turns *turns;
    struct lobby_client_count *clients;
    struct coppice_access_log *access_log; /* NULL without one */
    struct coppice_block_pool *small, *large, *outputs, *blocks;
    struct coppice_timer_wheel wheel;

    uint32_t heir;          /* the seat that is spared some requests; LOBBY_NONE without one */
    uint32_t avoided_count;
    uint64_t avoided[LOBBY_AVOIDED_ROUTES]; /* hashes of routes that the heir is spared */
    uint32_t backlog_count;
    uint32_t in_hand;       /* the connection being worked on: a successor closes it */
    uint32_t loops_started;
    uint32_t intake_overhead, slot_capacity;
    uint32_t connections_used; /* the others were never used: they are zeros, and no page of them was touched */
    uint32_t free_connection, free_slot;
    struct lobby_list idle;    /* the one that is idle for longest first */
    struct lobby_list uploads; /* their clients have sent more of a body that goes to a file */
    uint32_t seat_first, seat_last;
    uint32_t seat_words;    /* of bitmaps: beyond them there never was a seat */
    uint32_t tail, queue_size; /* of the queue, as they must be */
    uint64_t counter;       /* of requests */
    uint64_t file_bytes;    /* of bodies and answers */
    uint64_t spilled_bytes; /* of these, those of answers */
    uint32_t clients_size;  /* a power of two */
    uint32_t open_connections, idle_connections, used_slots;
    uint64_t identity;      /* makes the places of clients in the table unpredictable */
    struct coppice_request_ids request_ids;
    bool handshakes_held; /* their service cannot be there soon */
    bool accepting, closing, draining, stopping, monitor_gone;
    int64_t drain_since_ms;
    int32_t log_level;
};

static inline struct lobby_intake *lobby_intake_of(const struct coppice_lobby *lobby,
                                                   const struct lobby_connection *connection) {
    const struct coppice_block_pool *pool = connection->flags & LOBBY_LARGE ? lobby->large : lobby->small;
    return (struct lobby_intake *)(void *)coppice_block_pool_at(pool, connection->intake);
}

static inline char *lobby_intake_bytes(const struct coppice_lobby *lobby, struct lobby_intake *intake) {
    return (char *)intake + lobby->intake_overhead;
}

static inline struct lobby_output *lobby_output_of(const struct coppice_lobby *lobby,
                                                   const struct lobby_connection *connection) {
    return (struct lobby_output *)(void *)coppice_block_pool_at(lobby->outputs, connection->output);
}

static inline uint32_t lobby_index_of(const struct coppice_lobby *lobby, const struct lobby_connection *connection) {
    return (uint32_t)(connection - lobby->connections);
}

static inline uint32_t lobby_slot_of(const struct coppice_lobby *lobby, const struct lobby_request *request) {
    return (uint32_t)(request - lobby->slots);
}

static inline bool lobby_slot_is_spare(const struct coppice_lobby *lobby, uint32_t slot) {
    return slot == lobby->settings.slots;
}

/* What will be used next; the spare slot when all are taken. */
static inline uint32_t lobby_slot_next(const struct coppice_lobby *lobby) {
    return lobby->free_slot == LOBBY_NONE ? lobby->settings.slots : lobby->free_slot;
}

static inline struct coppice_lobby_slot *lobby_slot_at(const struct coppice_lobby *lobby, uint32_t slot) {
    return (struct coppice_lobby_slot *)(uintptr_t)coppice_lobby_slot_at(lobby->requests, slot);
}

static inline char *lobby_slot_bytes(const struct coppice_lobby *lobby, struct coppice_lobby_slot *slot) {
    return (char *)slot + lobby->requests->bytes_at;
}

static inline void lobby_count(const struct coppice_lobby *lobby, enum lobby_counter counter, int64_t more) {
    lobby_count_add(lobby->counters, counter, more);
}

#endif
