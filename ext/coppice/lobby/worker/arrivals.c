/* Requests that have come: each is given to the workers at once, waits for its turn, or is refused. So is one that no
 * worker takes in time. */
#include <sys/socket.h>

#include "shared/forwarded_for.h"
#include "shared/request_start.h"
#include "shared/socket_io.h"
#include "worker.h"

static const char waited_too_long[] = "no worker was free in time";
static const char too_many_wait[] = "too many requests wait";

/* Without a Host the application gets the address that the client has reached, at the proxy if there is one. */
static void read_server_address(struct coppice_lobby_address *address, const struct lobby_connection *connection) {
    struct sockaddr_storage own = {.ss_family = 0};
    socklen_t length = sizeof(own);
    *address = connection->server;
    if (address->family != 0) return;
    if (getsockname(connection->fd, (struct sockaddr *)&own, &length) != 0) return;
    coppice_lobby_address_of_socket(address, &own);
}

static void fill_slot(struct coppice_lobby *lobby, const struct lobby_connection *connection,
                      struct coppice_lobby_slot *slot, const struct lobby_arrival *arrival) {
    bool keep = slot->head.keep_alive && !lobby->closing && !(connection->flags & LOBBY_NO_KEEP) &&
                lobby_keepalive_ms(lobby, connection) > 0;
    slot->arrived_us = connection->arrived_us;
    slot->queued_us = lobby_process.now_us;
    slot->body_length = arrival->body_length;
    slot->length = arrival->length;
    bool https = connection->flags & LOBBY_HTTPS;
    slot->flags = arrival->flags | (keep ? COPPICE_LOBBY_KEEP : 0) | (https ? COPPICE_LOBBY_HTTPS : 0);
    slot->client = connection->client;
    slot->server.family = 0;
    if (slot->head.host.length == 0) read_server_address(&slot->server, connection);
    lobby_identify(lobby, slot);
    atomic_store_explicit(&slot->client_gone, 0, memory_order_relaxed);
}

static bool waits(const struct coppice_lobby *lobby, struct lobby_request *request) {
    int owner = lobby_owner_of(lobby, request);
    return owner == COPPICE_QUEUE_UNOWNED || owner == LOBBY_BACKLOG;
}

uint32_t lobby_waiting(const struct coppice_lobby *lobby) {
    return coppice_request_queue_waiting(lobby->queue) + lobby->backlog_count;
}

static uint32_t count_waiting(const struct coppice_lobby *lobby) {
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < lobby->settings.slots; slot++) {
        struct lobby_request *request = &lobby->slots[slot];
        if (request->serial && waits(lobby, request)) count++;
    }
    return count;
}

int64_t lobby_longest_wait_ms(const struct coppice_lobby *lobby) {
    int64_t first_us = lobby_process.now_us;
    for (uint32_t slot = 0; slot < lobby->settings.slots; slot++) {
        struct lobby_request *request = &lobby->slots[slot];
        int64_t queued_us = lobby_slot_at(lobby, slot)->queued_us;
        if (!request->serial || queued_us >= first_us) continue;
        if (waits(lobby, request)) first_us = queued_us;
    }
    return (lobby_process.now_us - first_us) / 1000;
}

static uint32_t count_seats(const struct coppice_lobby *lobby) {
    uint32_t count = 0;
    for (uint32_t seat = lobby->seat_first; seat != LOBBY_NONE; seat = lobby->seats[seat].next) count++;
    return count;
}

static bool worker_free(const struct coppice_lobby *lobby) {
    return lobby_free_workers(lobby) > coppice_request_queue_waiting(lobby->queue);
}

/* The queue also counts requests that were taken back. And those that free workers are about to take do not wait: each
 * worker may have one slot beside them, also one that is stalled or boots; then some more may wait. */
bool lobby_full(const struct coppice_lobby *lobby) {
    uint32_t most = lobby->settings.max_waiting, queued = coppice_request_queue_waiting(lobby->queue);
    if (queued + lobby->backlog_count < most && lobby_queue_has_cell(lobby, queued)) return false;
    coppice_request_queue_trim(lobby->queue);
    if (!lobby_queue_has_cell(lobby, coppice_request_queue_waiting(lobby->queue))) return true;
    return lobby->used_slots >= most + count_seats(lobby) && count_waiting(lobby) >= most;
}

/* Where clients are not told apart, each route stands for one. */
static uint32_t flow_of(const struct coppice_lobby *lobby, const struct lobby_connection *connection,
                        const struct coppice_lobby_slot *slot, const char *bytes) {
    struct coppice_lobby_address client =
        coppice_forwarded_for(&slot->head, bytes, &lobby->settings.trusted_proxies, &connection->client);
    uint64_t key = coppice_lobby_address_is_ip(&client) ? lobby_client_key(&client) : lobby_route_of(slot, bytes);
    return lobby_place_of(lobby, key, LOBBY_FLOWS);
}

static void count_shed(struct coppice_lobby *lobby, enum lobby_counter counter, uint32_t route) {
    lobby_count(lobby, counter, 1);
    lobby->costs->routes[route].refused++;
}

/* Who has most requests waiting gives way to others: the last of them is refused. */
static bool make_room(struct coppice_lobby *lobby, const struct lobby_connection *connection,
                      const struct coppice_lobby_slot *slot, const char *bytes) {
    struct lobby_request *last = lobby_backlog_last(lobby);
    if (!last || last->start_us <= lobby_turn_next(lobby->turns, flow_of(lobby, connection, slot, bytes))) return false;
    lobby_request_condemn(last, 503, too_many_wait, false);
    count_shed(lobby, LOBBY_shed_max_waiting, last->route);
    return true;
}

static void shed(struct coppice_lobby *lobby, const struct lobby_arrival *arrival, enum lobby_counter counter,
                 const char *reason) {
    int32_t file = arrival->file;
    struct coppice_lobby_slot *slot = lobby_slot_at(lobby, arrival->slot);
    uint64_t hash = lobby_route_of(slot, lobby_slot_bytes(lobby, slot));
    if (file >= 0) lobby_file_close(lobby, &file, arrival->file_bytes);
    count_shed(lobby, counter, lobby_route_find(lobby->costs, hash, lobby_process.now_ms));
    lobby_wish_arrived_refusal(slot, 503, reason);
}

/* How long it may still wait here. A proxy that is trusted says how long it has waited there; not while it was read
 * here, since a proxy may send a body on as it comes. A free worker serves it, however long it was: the server may have
 * booted meanwhile, or the proxy's clock may be behind. */
static int64_t wait_left_ms(const struct coppice_lobby *lobby, const struct lobby_connection *connection,
                            const struct coppice_lobby_slot *slot, const char *bytes) {
    int64_t left_ms = lobby->settings.queue_timeout_ms;
    struct coppice_span value = {.length = 0};
    if (left_ms > 0 && connection->flags & LOBBY_TRUSTED_PEER)
        value = coppice_request_field(&slot->head, bytes, "x-request-start");
    if (value.length == 0) return left_ms;
    int64_t age_us = coppice_request_start_age_us(bytes + value.offset, value.length, coppice_unix_us());
    int64_t waited_us = age_us - (lobby_process.now_us - connection->arrived_us);
    if (waited_us <= 0 || (waited_us / 1000 >= left_ms && worker_free(lobby))) return left_ms;
    return left_ms - waited_us / 1000;
}

/* Nobody waits who comes before it, and workers do not find enough in their queue. */
static bool may_go_at_once(const struct coppice_lobby *lobby, const struct lobby_request *request) {
    if (lobby->backlog_count > 0 && !lobby_process.stuck) return false;
    uint32_t waiting = coppice_request_queue_waiting(lobby->queue);
    if (!lobby_route_finds_room(lobby->costs, request->route, waiting, 0)) return false;
    return lobby_route_may_run(lobby->costs, request->route, lobby_process.now_ms);
}

static void take_turn(struct coppice_lobby *lobby, const struct lobby_connection *connection,
                      struct lobby_request *request, const struct coppice_lobby_slot *slot, const char *bytes) {
    request->flow = flow_of(lobby, connection, slot, bytes);
    request->round = lobby->turns->round;
    request->cost_us = lobby_route_cost(lobby->costs, request->route);
    request->start_us = lobby_turn_start(lobby->turns, request->flow, request->cost_us);
    lobby_backlog_add(lobby, request);
}

void lobby_push(struct coppice_lobby *lobby, struct lobby_connection *connection, const struct lobby_arrival *arrival) {
    struct coppice_lobby_slot *slot = lobby_slot_at(lobby, arrival->slot);
    const char *bytes = lobby_slot_bytes(lobby, slot);
    if (lobby_is_handshake(lobby, slot, bytes)) {
        if (lobby_pass_handshake(lobby, connection, arrival)) return;
        shed(lobby, arrival, LOBBY_shed_handshakes, "no service takes handshakes now");
        return;
    }
    bool timed = lobby->settings.queue_timeout_ms > 0;
    int64_t left_ms = wait_left_ms(lobby, connection, slot, bytes);
    if (timed && left_ms <= 0) {
        shed(lobby, arrival, LOBBY_shed_queue_timeout, waited_too_long);
        return;
    }
    bool full = lobby_slot_is_spare(lobby, arrival->slot) ||
                (lobby_full(lobby) && !make_room(lobby, connection, slot, bytes));
    if (full) {
        shed(lobby, arrival, LOBBY_shed_max_waiting, too_many_wait);
        return;
    }
    struct lobby_request *request = lobby_slot_take(lobby);
    fill_slot(lobby, connection, slot, arrival);
    slot->serial = request->serial;
    request->connection = lobby_index_of(lobby, connection);
    request->body_file = arrival->file;
    request->body_file_bytes = arrival->file_bytes;
    lobby_take_route(lobby, request, slot, bytes);
    request->head_only = lobby_method_is(slot, bytes, "HEAD");
    request->idempotent =
        request->head_only || lobby_method_is(slot, bytes, "GET") || lobby_method_is(slot, bytes, "OPTIONS");
    connection->serial = request->serial;
    connection->state = LOBBY_QUEUED;
    if (!slot->head.keep_alive) connection->flags |= LOBBY_LAST_REQUEST;
    if (may_go_at_once(lobby, request))
        lobby_give(lobby, request);
    else
        take_turn(lobby, connection, request, slot, bytes);
    lobby_count(lobby, LOBBY_requests, 1);
    if (timed)
        lobby_arm(lobby, connection, lobby_process.now_ms + left_ms);
    else
        lobby_disarm(lobby, connection);
}

/* Its time began when it came, and may have passed while its worker had it: it gets as much again. */
void lobby_push_again(struct coppice_lobby *lobby, struct lobby_request *request) {
    struct coppice_lobby_slot *slot = lobby_slot_at(lobby, lobby_slot_of(lobby, request));
    int64_t left_ms = lobby->settings.queue_timeout_ms;
    if (left_ms > 0) lobby_arm(lobby, &lobby->connections[request->connection], lobby_process.now_ms + left_ms);
    slot->flags |= COPPICE_LOBBY_RETRIED;
    request->retried = true;
    lobby_give(lobby, request);
    lobby_count(lobby, LOBBY_retried, 1);
}

/* No worker took it in time; one that just has goes on. */
void lobby_queue_timed_out(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    struct lobby_request *request = lobby_request_of(lobby, connection->serial);
    if (!request || request->owner >= 0 || !lobby_request_withdraw(lobby, request)) return;
    connection->serial = 0;
    count_shed(lobby, LOBBY_shed_queue_timeout, request->route);
    lobby_wish_request_refusal(request, 503, waited_too_long);
}
