/* What the lobby knows of each request, from the push to its END. The queue itself is shared/request_queue.c. */
#include "memory.h"

enum { SLOT_BITS = 16 };

/* Takes the next slot; its request has no connection yet. */
struct lobby_request *lobby_slot_take(struct coppice_lobby *lobby) {
    uint32_t slot = lobby->free_slot;
    struct lobby_request *request = &lobby->slots[slot];
    lobby->free_slot = request->next_free;
    lobby->used_slots++;
    *request = (struct lobby_request){
        .serial = ++lobby->counter << SLOT_BITS | slot,
        .connection = LOBBY_NONE,
        .next_free = LOBBY_NONE,
        .owner = COPPICE_QUEUE_UNOWNED,
        .body_file = -1,
        .flow = LOBBY_NONE,
    };
    return request;
}

/* Others of its route may run now: it has left their share, or its answer has made the route quick. */
static void leave_route(struct coppice_lobby *lobby, struct lobby_request *request) {
    if (!request->runs) return;
    request->runs = false;
    lobby_route_ends(lobby->costs, request->route);
    bool quick = lobby_route_is_quick(lobby->costs, request->route);
    if (!quick || lobby->costs->routes[request->route].waiting > 0) lobby_process.stuck = false;
}

void lobby_request_took(struct coppice_lobby *lobby, const struct lobby_request *request, int64_t us) {
    lobby_route_took(lobby->costs, request->route, us, lobby_process.now_ms);
    if (request->flow != LOBBY_NONE)
        lobby_turn_charge(lobby->turns, request->flow, request->round, us - request->cost_us);
}

void lobby_slot_release(struct coppice_lobby *lobby, uint32_t slot) {
    struct lobby_request *request = &lobby->slots[slot];
    leave_route(lobby, request);
    if (request->body_file_bytes > 0) lobby_file_close(lobby, &request->body_file, request->body_file_bytes);
    request->serial = 0;
    request->connection = LOBBY_NONE;
    request->next_free = lobby->free_slot;
    lobby->free_slot = slot;
    lobby->used_slots--;
}

/* NULL unless there is a request with just this number, which workers may have invented. */
struct lobby_request *lobby_request_of(const struct coppice_lobby *lobby, uint64_t serial) {
    uint32_t slot = (uint32_t)(serial & ((1u << SLOT_BITS) - 1));
    if (serial == 0 || slot >= lobby->settings.slots || lobby->slots[slot].serial != serial) return NULL;
    return &lobby->slots[slot];
}

/* Kept once it is known: the queue's cell will be used again. */
int lobby_owner_of(const struct coppice_lobby *lobby, struct lobby_request *request) {
    if (request->owner == COPPICE_QUEUE_UNOWNED) {
        uint16_t slot = (uint16_t)lobby_slot_of(lobby, request);
        request->owner = coppice_request_queue_owner(lobby->queue, request->position, slot);
        if (request->owner < COPPICE_QUEUE_UNOWNED) lobby_process.queue_spoilt = true;
    }
    return request->owner;
}

struct lobby_request *lobby_request_of_seat(const struct coppice_lobby *lobby, uint32_t seat, uint64_t serial) {
    struct lobby_request *request = lobby_request_of(lobby, serial);
    return request && lobby_owner_of(lobby, request) == (int)seat ? request : NULL;
}

bool lobby_request_withdraw(struct coppice_lobby *lobby, struct lobby_request *request) {
    uint16_t slot = (uint16_t)lobby_slot_of(lobby, request);
    if (request->owner == LOBBY_BACKLOG) {
        lobby_backlog_remove(lobby, request);
        lobby_turn_charge(lobby->turns, request->flow, request->round, -(int64_t)request->cost_us);
    } else {
        if (request->owner != COPPICE_QUEUE_UNOWNED) return false;
        if (!coppice_request_queue_withdraw(lobby->queue, request->position, slot)) return false;
        lobby->pushed[request->position & (lobby->queue_size - 1)] = LOBBY_NONE;
    }
    lobby_slot_release(lobby, slot);
    return true;
}

void lobby_look_at_worker(struct coppice_lobby *lobby, const struct lobby_connection *connection) {
    const struct lobby_request *request = lobby_request_of(lobby, connection->serial);
    if (!request || request->owner < 0) return;
    if (lobby->seats[request->owner].asks_for == request->serial) lobby_seat_look((uint32_t)request->owner);
}

void lobby_request_condemn(struct lobby_request *request, int status, const char *reason, bool abandoned) {
    request->reason = reason;
    request->verdict = (uint16_t)status;
    request->abandoned = abandoned;
    lobby_process.condemned = true;
}

void lobby_request_drop(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    struct lobby_request *request = lobby_request_of(lobby, connection->serial);
    lobby_look_at_worker(lobby, connection);
    connection->serial = 0;
    if (!request) return;
    if (lobby_request_withdraw(lobby, request)) {
        lobby_log_access(lobby, NULL, request, 0, 0, "client gone");
        return;
    }
    request->connection = LOBBY_NONE;
    struct coppice_lobby_slot *slot = lobby_slot_at(lobby, lobby_slot_of(lobby, request));
    atomic_store_explicit(&slot->client_gone, 1, memory_order_release);
}
