/* Requests that wait for their turn in the lobby. Those in the queue of the workers have had it: the order is decided as
 * late as it can be. */
#include "memory.h"

static bool earlier(const struct lobby_waiting *one, const struct lobby_waiting *other) {
    return one->start_us != other->start_us ? one->start_us < other->start_us : one->serial < other->serial;
}

/* Its place is known before its owner says that it has one: a successor of the loop puts it there again. */
void lobby_backlog_add(struct coppice_lobby *lobby, struct lobby_request *request) {
    request->place = lobby->backlog_count++;
    lobby->backlog[request->place] = (struct lobby_waiting){.start_us = request->start_us,
                                                            .serial = request->serial,
                                                            .slot = lobby_slot_of(lobby, request),
                                                            .route = request->route};
    lobby->costs->routes[request->route].waiting++;
    request->owner = LOBBY_BACKLOG;
    lobby_process.stuck = false;
}

void lobby_backlog_remove(struct coppice_lobby *lobby, struct lobby_request *request) {
    struct lobby_waiting *last = &lobby->backlog[--lobby->backlog_count];
    lobby->backlog[request->place] = *last;
    lobby->slots[last->slot].place = request->place;
    lobby->costs->routes[request->route].waiting--;
    if (lobby->backlog_count == 0) lobby_turns_end(lobby->turns);
}

struct lobby_request *lobby_backlog_next(struct coppice_lobby *lobby) {
    const struct lobby_waiting *next = NULL;
    for (uint32_t i = 0; i < lobby->backlog_count; i++) {
        const struct lobby_waiting *one = &lobby->backlog[i];
        if (next && !earlier(one, next)) continue;
        if (lobby_route_may_run(lobby->costs, one->route, lobby_process.now_ms)) next = one;
    }
    lobby_process.stuck = next == NULL;
    return next ? &lobby->slots[next->slot] : NULL;
}

struct lobby_request *lobby_backlog_last(const struct coppice_lobby *lobby) {
    const struct lobby_waiting *last = NULL;
    for (uint32_t i = 0; i < lobby->backlog_count; i++) {
        const struct lobby_waiting *one = &lobby->backlog[i];
        if (lobby->slots[one->slot].verdict == 0 && (!last || earlier(last, one))) last = one;
    }
    return last ? &lobby->slots[last->slot] : NULL;
}
