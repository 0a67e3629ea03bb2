#ifndef COPPICE_LOBBY_WORKER_H
#define COPPICE_LOBBY_WORKER_H

/* What workers are given, and what they say. What it means for a client is left as a wish, a delivery or a request that
 * is condemned. */

#include "lobby/memory/memory.h"

/* arrivals.c: has the request that has arrived queued or refused. */
void lobby_push(struct coppice_lobby *lobby, struct lobby_connection *connection, const struct lobby_arrival *arrival);
void lobby_push_again(struct coppice_lobby *lobby, struct lobby_request *request);
void lobby_queue_timed_out(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* Whether one more would be refused. */
bool lobby_full(const struct coppice_lobby *lobby);
/* How many no worker has taken. */
uint32_t lobby_waiting(const struct coppice_lobby *lobby);
/* For how long the first of them has waited; 0: none waits. */
int64_t lobby_longest_wait_ms(const struct coppice_lobby *lobby);

/* dispatch.c: to the workers' queue. */
void lobby_give(struct coppice_lobby *lobby, struct lobby_request *request);
void lobby_wake_workers(struct coppice_lobby *lobby);
void lobby_wake_again(struct coppice_lobby *lobby);
/* Whether some wait that workers would get if they had less to do. */
bool lobby_wants_workers(const struct coppice_lobby *lobby);
/* Whether their queue has a cell left beside so many: requests that were taken back stay in theirs until what was
 * before them is taken. */
static inline bool lobby_queue_has_cell(const struct coppice_lobby *lobby, uint32_t waiting) {
    return waiting < lobby->queue_size - 1;
}
/* Whether their queue has room for one of these. */
bool lobby_may_hand_out(struct coppice_lobby *lobby);
void lobby_check_queue(struct coppice_lobby *lobby);
void lobby_seat_wake(const struct coppice_lobby *lobby, uint32_t number);

/* routes.c: lines "route METHOD PATH". */
void lobby_heir_avoids(struct coppice_lobby *lobby, const char *lines);
/* The hash of the request's route. */
uint64_t lobby_route_of(const struct coppice_lobby_slot *slot, const char *bytes);
/* Notes its route in the request that has come. */
void lobby_take_route(struct coppice_lobby *lobby, struct lobby_request *request,
                      const struct coppice_lobby_slot *slot, const char *bytes);

/* Which routes are slow: by what their requests have taken, and by those that run. Tells of those that wait for it. */
void lobby_look_at_routes(struct coppice_lobby *lobby);

/* workers.c: how many take requests. */
void lobby_look_at_workers(struct coppice_lobby *lobby);
/* Whether its worker is one of them. */
bool lobby_seat_takes_requests(const struct coppice_lobby *lobby, uint32_t number);
/* How many of them sleep, or were woken and have not looked yet. */
uint32_t lobby_free_workers(const struct coppice_lobby *lobby);

/* heir.c: a seat that is not used, for none. */
void lobby_heir_is(struct coppice_lobby *lobby, uint32_t number);
void lobby_heir_note(const struct coppice_lobby *lobby);

/* handshakes.c: takes the descriptor; -1: nobody gets them. The path is empty where none are told from others. */
void lobby_handshakes_to(struct coppice_lobby *lobby, const char *path, int fd);
bool lobby_is_handshake(const struct coppice_lobby *lobby, const struct coppice_lobby_slot *slot, const char *bytes);
/* False: the service is not there, or busy. */
bool lobby_pass_handshake(struct coppice_lobby *lobby, struct lobby_connection *connection,
                          const struct lobby_arrival *arrival);

/* answers.c: what the ring of a seat has for one client. */
enum lobby_delivery_kind { LOBBY_BYTES, LOBBY_FILE, LOBBY_END }; /* an END comes with the bytes before it */
enum { LOBBY_DELIVERY_PARTS = 32 };
struct lobby_delivery {
    enum lobby_delivery_kind kind;
    struct lobby_request *request;
    uint64_t position; /* behind it, in the ring */
    bool more_follows;
    int file;
    struct coppice_record_file place;
    enum lobby_end end;
    int count;
    struct iovec parts[LOBBY_DELIVERY_PARTS];
};
enum lobby_ring_stop { LOBBY_RING_READ, LOBBY_RING_TURN_OVER, LOBBY_RING_STALLED, LOBBY_RING_SPOILT };
struct lobby_ring_reading {
    uint32_t seat;
    uint64_t start;
    bool was_stalled;
    enum lobby_ring_stop stop;
    struct coppice_ring_reader reader;
};
/* False: there is nothing to read it for. */
bool lobby_ring_begin(struct coppice_lobby *lobby, uint32_t number, struct lobby_ring_reading *reading);
/* False: that was all for now. The seat's position must be the delivery's before the next call. */
bool lobby_ring_next(struct coppice_lobby *lobby, struct lobby_ring_reading *reading, struct lobby_delivery *delivery);
void lobby_ring_end(struct coppice_lobby *lobby, struct lobby_ring_reading *reading);
/* Has the rings looked at that waited for room, if there is some now. */
void lobby_look_at_stalled(const struct coppice_lobby *lobby);

/* order.c: in which seats are woken. */
void lobby_seat_link(struct coppice_lobby *lobby, uint32_t number);
void lobby_seat_unlink(struct coppice_lobby *lobby, uint32_t number);
void lobby_seat_prefer(struct coppice_lobby *lobby, uint32_t number, bool first);
void lobby_seat_rested(struct coppice_lobby *lobby, uint32_t number);

/* seats.c: whether the seat is another one than is there already; closes its descriptors if not. */
bool lobby_seat_is_new(const struct coppice_lobby *lobby, uint32_t number, const struct lobby_seat *seat);
void lobby_seat_add(struct coppice_lobby *lobby, uint32_t number, const struct lobby_seat *seat);
/* Its worker is gone, and its ring was read. */
void lobby_seat_gone(struct coppice_lobby *lobby, uint32_t number, bool retry, bool timed_out);
/* Nobody is left to answer anything. */
void lobby_seats_without_workers(struct coppice_lobby *lobby);
void lobby_seat_map(struct coppice_lobby *lobby, uint32_t number);
void lobby_seat_break(struct coppice_lobby *lobby, uint32_t number, const char *why);
void lobby_seats_tell_faults(const struct coppice_lobby *lobby);

/* seat_socket.c: answers whether its worker has closed the socket. As long as there is a monitor, that one tells what
 * became of it. */
bool lobby_seat_read(struct coppice_lobby *lobby, uint32_t number);
/* The worker that has asked for this client gets it. */
void lobby_pass_client(struct coppice_lobby *lobby, struct lobby_connection *connection, uint32_t seat,
                       struct lobby_request *request);
/* There is no such request or client. */
void lobby_seat_refuse(struct coppice_lobby *lobby, uint32_t number, uint64_t serial);

#endif
