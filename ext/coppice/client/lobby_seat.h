#ifndef COPPICE_LOBBY_SEAT_H
#define COPPICE_LOBBY_SEAT_H

/*
 * A worker's place at the lobby: what it has mapped, and the request that it has in hand. Only the process that took
 * the seat may use it; its forks have none of the mappings. lobby_take.c takes requests, lobby_transport.c answers them.
 */

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>

#include "shared/answer_ring.h"
#include "shared/lobby_memory.h"
#include "shared/request_queue.h"

struct coppice_lobby_seat {
    uint16_t number;
    unsigned fork_count;
    int own_eventfd, lobby_eventfd, socket; /* -1 once closed */
    const struct coppice_lobby_requests *requests;
    struct coppice_request_queue *queue; /* NULL once closed */
    struct coppice_ring_writer writer;
    size_t requests_bytes, queue_bytes;
    int64_t spared_since_us; /* monotonic: since when the next request is one for other workers; 0: it is not */
    bool woken; /* by the lobby, and has not looked for a request since */

    /* The request in hand. It ends with one END record, and then the slot is the lobby's again. */
    const struct coppice_lobby_slot *slot; /* NULL for none */
    uint64_t serial;
    int64_t started_us; /* monotonic: when its env was made; 0 before */
    bool keep;      /* the client's connection may stay open */
    bool head_sent; /* the HEAD record is written */
};

/* While less room than this is in the ring, a writer waits; unless it has less to write. */
enum { COPPICE_LOBBY_WANTED_ROOM = 16 * 1024 };
/* With less room in the ring no request is taken, so that each can be ended. */
enum { COPPICE_LOBBY_ROOM_TO_TAKE = 64 };

/* The seat of a LobbySeat; raises IOError unless this process has it. */
struct coppice_lobby_seat *coppice_lobby_seat_get(VALUE self);

/* Bytes of data that there is room for, in one record: not the room for an END. */
size_t coppice_lobby_seat_room(const struct coppice_lobby_seat *seat);
/* Whether the lobby has its end of the socket open: a loop that died has a successor with the same end. */
bool coppice_lobby_seat_connected(const struct coppice_lobby_seat *seat);
/* Whether a request is in good hands here: there is room for its end, and no answer before it that its client does not
 * read, behind which its own would wait. */
bool coppice_lobby_seat_may_take(const struct coppice_lobby_seat *seat);
/* POLLOUT: until there may be room in the ring; POLLIN: until a packet came. false when the deadline passed first. */
bool coppice_lobby_seat_wait(struct coppice_lobby_seat *seat, short events, int64_t deadline_ms);
/* The lobby looks for free workers again, if it sleeps for want of them. */
void coppice_lobby_seat_offer(struct coppice_lobby_seat *seat);
/* The reader sees what was written to the ring; it is woken if it sleeps. */
void coppice_lobby_seat_publish(struct coppice_lobby_seat *seat);
/* The end of the request in hand, for which there always is room. flags: WHOLE or RESET of coppice_record_flags. */
void coppice_lobby_seat_end(struct coppice_lobby_seat *seat, uint8_t flags);

#endif
