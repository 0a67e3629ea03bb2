/* What workers have answered goes to their clients, and clients to workers that have asked for them. */
#include "loop.h"

static void deliver_bytes(struct coppice_lobby *lobby, struct lobby_connection *connection,
                          const struct lobby_delivery *delivery) {
    for (int i = 0; i < delivery->count; i++) delivery->request->sent += delivery->parts[i].iov_len;
    lobby_output_write(lobby, connection, delivery->parts, delivery->count, delivery->more_follows);
}

static void deliver_file(struct coppice_lobby *lobby, struct lobby_connection *connection,
                         const struct lobby_delivery *delivery) {
    if (delivery->file < 0) {
        lobby_log(lobby, LOBBY_ERROR, "an answer was cut: no descriptor is left for its file");
        lobby_request_condemn(delivery->request, 502, "no descriptor was left", false);
        return;
    }
    delivery->request->sent += delivery->place.length;
    lobby_output_file(lobby, connection, delivery->file, &delivery->place);
}

/* The worker is done with the slot. */
static void deliver_end(struct coppice_lobby *lobby, uint32_t seat, struct lobby_connection *connection,
                        const struct lobby_delivery *delivery) {
    struct lobby_request *request = delivery->request;
    if (delivery->count > 0) {
        deliver_bytes(lobby, connection, delivery);
        lobby_settle(lobby);
        if (request->connection == LOBBY_NONE) connection = NULL; /* the client is gone */
    }
    if (request->answered) lobby_count(lobby, LOBBY_answered, 1);
    lobby_log_access(lobby, connection, request, request->status, request->sent, connection ? NULL : "client gone");
    if (lobby->seats[seat].asks_for == request->serial) lobby->seats[seat].asks_for = 0;
    if (request->started_us > 0) lobby_request_took(lobby, request, lobby_process.now_us - request->started_us);
    lobby_slot_release(lobby, lobby_slot_of(lobby, request));
    lobby_seat_rested(lobby, seat);
    if (connection) lobby_output_end(lobby, connection, delivery->end);
}

/* The seat's position moves on while that client's connection is the one in hand: a successor of this loop must not
 * deliver it twice. */
static void deliver(struct coppice_lobby *lobby, uint32_t seat, const struct lobby_delivery *delivery) {
    uint32_t index = delivery->request->connection; /* only of an END it may be gone */
    struct lobby_connection *connection = index == LOBBY_NONE ? NULL : lobby_take_in_hand(lobby, index);
    switch (delivery->kind) {
    case LOBBY_BYTES:
        deliver_bytes(lobby, connection, delivery);
        break;
    case LOBBY_FILE:
        deliver_file(lobby, connection, delivery);
        break;
    case LOBBY_END:
        deliver_end(lobby, seat, connection, delivery);
        break;
    }
    lobby->seats[seat].position = delivery->position;
    if (index != LOBBY_NONE) lobby_let_go(lobby);
    lobby_settle_condemned(lobby);
}

static void read_ring(struct coppice_lobby *lobby, uint32_t seat) {
    struct lobby_ring_reading reading;
    struct lobby_delivery delivery;
    if (!lobby_ring_begin(lobby, seat, &reading)) return;
    while (lobby_ring_next(lobby, &reading, &delivery)) deliver(lobby, seat, &delivery);
    lobby_ring_end(lobby, &reading);
}

/* The client goes to the worker once it has taken everything. Where answers to others wait in the ring, nobody knows for
 * how long. */
static void hand_over(struct coppice_lobby *lobby, uint32_t number) {
    struct lobby_seat *seat = &lobby->seats[number];
    if (!seat->used || seat->asks_for == 0) return;
    struct lobby_request *request = lobby_request_of_seat(lobby, number, seat->asks_for);
    bool own = request && request->connection != LOBBY_NONE;
    bool waits = own && lobby->connections[request->connection].output != LOBBY_NONE;
    if (waits) return;
    if (!own || seat->stalled) {
        lobby_seat_refuse(lobby, number, seat->asks_for);
        seat->asks_for = 0;
        return;
    }
    struct lobby_connection *connection = lobby_take_in_hand(lobby, request->connection);
    seat->asks_for = 0;
    lobby_pass_client(lobby, connection, number, request);
    lobby_let_go(lobby);
}

static void read_answers_of(struct coppice_lobby *lobby, uint32_t seat) {
    read_ring(lobby, seat);
    hand_over(lobby, seat);
    lobby_settle_condemned(lobby);
}

void lobby_read_answers(struct coppice_lobby *lobby) {
    lobby_look_at_stalled(lobby);
    for (uint32_t word = 0; word < lobby->seat_words; word++) {
        uint64_t seats = coppice_request_queue_take_answered(lobby->queue, word) | lobby_process.ready[word];
        lobby_process.ready[word] = 0;
        for (; seats; seats &= seats - 1) read_answers_of(lobby, word * 64 + (uint32_t)__builtin_ctzll(seats));
    }
}

/* What it has published counts, however slowly its client reads: the ring goes away. */
void lobby_lose_seat(struct coppice_lobby *lobby, uint32_t number, bool retry, bool timed_out) {
    if (number >= COPPICE_LOBBY_SEATS) return;
    lobby_process.forced = true;
    read_ring(lobby, number);
    lobby_process.forced = false;
    lobby_seat_gone(lobby, number, retry, timed_out);
    lobby_settle_condemned(lobby);
}

void lobby_seat_left(struct coppice_lobby *lobby, uint32_t number) {
    if (lobby->monitor_gone) lobby_lose_seat(lobby, number, true, false);
}

/* What no worker is left for is answered by nobody. */
void lobby_seats_without_monitor(struct coppice_lobby *lobby) {
    for (uint32_t seat = 0; seat < COPPICE_LOBBY_SEATS; seat++) {
        if (!lobby->seats[seat].used) continue;
        /* Without its descriptors nothing tells when its worker leaves. */
        if (lobby->seats[seat].lost || lobby_seat_read(lobby, seat)) lobby_seat_left(lobby, seat);
    }
    if (lobby->seat_first == LOBBY_NONE) lobby_seats_without_workers(lobby);
    lobby_settle_condemned(lobby);
}
