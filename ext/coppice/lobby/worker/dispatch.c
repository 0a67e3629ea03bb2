/* The queue of the workers: requests are given to it, and workers are woken for them. */
#include "worker.h"

/* What was in the cell is forgotten by the queue now: so its owner is noted first, if that request is not done. */
void lobby_give(struct coppice_lobby *lobby, struct lobby_request *request) {
    uint32_t *cell = &lobby->pushed[lobby->tail & (lobby->queue_size - 1)];
    struct lobby_request *earlier = *cell == LOBBY_NONE ? NULL : &lobby->slots[*cell];
    if (earlier && earlier->serial && earlier->position == lobby->tail - lobby->queue_size) {
        lobby_owner_of(lobby, earlier);
    }
    *cell = lobby_slot_of(lobby, request);
    if (!request->runs) lobby_route_begins(lobby->costs, request->route);
    request->runs = true;
    /* A successor that finds the queue ahead of lobby->tail does the two lines between the fences. */
    uint32_t position = coppice_request_queue_push(lobby->queue, (uint16_t)*cell, request->spares_heir);
    atomic_signal_fence(memory_order_seq_cst);
    request->position = position;
    request->owner = COPPICE_QUEUE_UNOWNED;
    atomic_signal_fence(memory_order_seq_cst);
    lobby->tail = position + 1;
    lobby_process.pushed++;
    lobby_process.sparing += request->spares_heir;
}

void lobby_seat_wake(const struct coppice_lobby *lobby, uint32_t number) {
    coppice_wake(lobby->seats[number].event_fd);
}

static bool wake_seat(struct coppice_lobby *lobby, uint32_t seat) {
    if (!lobby_seat_takes_requests(lobby, seat)) return false;
    if (!coppice_request_queue_wake_worker(lobby->queue, (uint16_t)seat)) return false;
    lobby_seat_wake(lobby, seat);
    return true;
}

/* As many as there is work for, and no one who is awake: that would cost more than the request. Where all of it spares
 * the heir, that one is woken if nobody else sleeps. */
static void wake(struct coppice_lobby *lobby, uint32_t most, bool sparing) {
    uint32_t spared = sparing ? lobby->heir : LOBBY_NONE;
    for (uint32_t seat = lobby->seat_first; seat != LOBBY_NONE && most > 0; seat = lobby->seats[seat].next) {
        if (seat != spared) most -= wake_seat(lobby, seat);
    }
    if (spared != LOBBY_NONE && most > 0) wake_seat(lobby, spared);
}

bool lobby_wants_workers(const struct coppice_lobby *lobby) {
    return lobby->backlog_count > 0 && !lobby_process.stuck;
}

/* Whose turn it is, if the queue has room for it beside what free workers take. */
static struct lobby_request *next_to_give(struct coppice_lobby *lobby, uint32_t free_workers) {
    uint32_t waiting = coppice_request_queue_waiting(lobby->queue);
    if (!lobby_wants_workers(lobby) || !lobby_queue_has_cell(lobby, waiting)) return NULL;
    struct lobby_request *next = lobby_backlog_next(lobby);
    return next && lobby_route_finds_room(lobby->costs, next->route, waiting, free_workers) ? next : NULL;
}

bool lobby_may_hand_out(struct coppice_lobby *lobby) {
    return next_to_give(lobby, lobby_free_workers(lobby)) != NULL;
}

/* From the backlog to the workers. */
static void hand_out(struct coppice_lobby *lobby) {
    uint32_t free_workers = lobby_free_workers(lobby);
    for (struct lobby_request *request; (request = next_to_give(lobby, free_workers));) {
        lobby_turn_served(lobby->turns, request->start_us, request->cost_us, lobby->backlog_count);
        lobby_backlog_remove(lobby, request);
        lobby_give(lobby, request);
    }
}

void lobby_wake_workers(struct coppice_lobby *lobby) {
    if (lobby_wants_workers(lobby)) hand_out(lobby);
    if (lobby_process.pushed == 0) return;
    uint32_t waiting = coppice_request_queue_waiting(lobby->queue);
    bool sparing = lobby_process.sparing == lobby_process.pushed;
    wake(lobby, waiting < lobby_process.pushed ? waiting : lobby_process.pushed, sparing);
    lobby_process.pushed = lobby_process.sparing = 0;
}

/* A worker that was woken and died before it took anything leaves others asleep. */
void lobby_wake_again(struct coppice_lobby *lobby) {
    uint32_t waiting = coppice_request_queue_waiting(lobby->queue);
    if (waiting > 0) wake(lobby, waiting, false);
}

/* Makes the queue again from what the lobby knows. Workers that are popping meanwhile find it empty. */
static void rebuild(struct coppice_lobby *lobby) {
    struct coppice_request_queue *queue = lobby->queue;
    lobby_log(lobby, LOBBY_ERROR, "the queue of requests was overwritten");
    lobby_count(lobby, LOBBY_spoilt, 1);
    queue->size = lobby->queue_size;
    queue->magic = COPPICE_LOBBY_MAGIC;
    atomic_store(&queue->closing, lobby->closing);
    lobby_heir_note(lobby);
    for (uint32_t slot = 0; slot < lobby->settings.slots; slot++) {
        if (lobby->slots[slot].serial) lobby_owner_of(lobby, &lobby->slots[slot]);
    }
    atomic_store(&queue->tail, lobby->tail);
    atomic_store(&queue->head, lobby->tail);
    for (uint32_t slot = 0; slot < lobby->settings.slots; slot++) {
        struct lobby_request *request = &lobby->slots[slot];
        if (!request->serial || request->owner >= 0) continue;
        if (request->owner == COPPICE_QUEUE_UNOWNED)
            lobby_give(lobby, request);
        else if (request->owner != LOBBY_BACKLOG) /* nobody can say whether a worker has it */
            lobby_request_condemn(request, 502, "the request was lost", true);
    }
}

/* A process may have written where it should not. */
void lobby_check_queue(struct coppice_lobby *lobby) {
    bool sized = lobby->queue->size == lobby->queue_size;
    bool sound = sized && coppice_request_queue_sound(lobby->queue, lobby->tail);
    if (!sound || lobby_process.queue_spoilt) rebuild(lobby);
    lobby_process.queue_spoilt = false;
}
