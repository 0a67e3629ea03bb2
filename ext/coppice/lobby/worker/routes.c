/* Routes: which of them the heir is spared, and which are slow. */
#include <string.h>

#include "worker.h"

#ifndef HELD_MS /* tests do not wait for it */
#define HELD_MS (10 * 1000) /* no request of the route was held back */
#endif

uint64_t lobby_route_of(const struct coppice_lobby_slot *slot, const char *bytes) {
    struct coppice_span method = slot->head.method, path = slot->head.path;
    return lobby_route_hash(bytes + method.offset, method.length, bytes + path.offset, path.length);
}

void lobby_heir_avoids(struct coppice_lobby *lobby, const char *lines) {
    const size_t prefix = strlen("route ");
    lobby->avoided_count = 0;
    while (*lines && lobby->avoided_count < LOBBY_AVOIDED_ROUTES) {
        size_t length = strcspn(lines, "\n");
        if (length > prefix && strncmp(lines, "route ", prefix) == 0) {
            size_t method = strcspn(lines + prefix, " \n"), path = prefix + method + 1;
            uint64_t hash = path <= length ? lobby_route_hash(lines + prefix, method, lines + path, length - path) : 0;
            lobby->avoided[lobby->avoided_count++] = hash;
        }
        lines += length + (lines[length] == '\n');
    }
}

static bool spares_heir(const struct coppice_lobby *lobby, uint64_t hash) {
    for (uint32_t i = 0; i < lobby->avoided_count; i++) {
        if (lobby->avoided[i] == hash) return true;
    }
    return false;
}

void lobby_take_route(struct coppice_lobby *lobby, struct lobby_request *request,
                      const struct coppice_lobby_slot *slot, const char *bytes) {
    uint64_t hash = lobby_route_of(slot, bytes);
    request->spares_heir = spares_heir(lobby, hash);
    request->route = lobby_route_find(lobby->costs, hash, lobby_process.now_ms);
    lobby_route_came(lobby->costs, request->route, lobby_process.now_ms);
}

static void note_name(struct coppice_lobby *lobby, const struct lobby_request *request) {
    struct lobby_route *route = &lobby->costs->routes[request->route];
    if (route->name[0]) return;
    struct coppice_lobby_slot *slot = lobby_slot_at(lobby, lobby_slot_of(lobby, request));
    const char *bytes = lobby_slot_bytes(lobby, slot);
    struct coppice_span method = slot->head.method, path = slot->head.path;
    lobby_route_write_name(route->name, bytes + method.offset, method.length, bytes + path.offset, path.length);
}

/* One line when they begin to be held back, and one when for a while none was. */
static void tell_of(struct coppice_lobby *lobby, struct lobby_route *route, bool held) {
    int64_t now_ms = lobby_process.now_ms;
    if (held && route->held_ms == 0) {
        lobby_log(lobby, LOBBY_WARN,
                  "requests of a slow route wait, others come first\nroute %s\nwaiting %u\nrunning %u\nshare %u of %u",
                  route->name, route->waiting, route->running, lobby_route_share(lobby->costs), lobby->costs->workers);
        route->refused = 0;
    }
    if (held) route->held_ms = now_ms;
    if (route->held_ms == 0 || now_ms - route->held_ms < HELD_MS) return;
    lobby_log(lobby, LOBBY_INFO, "requests of a slow route no longer wait\nroute %s\nrefused %u", route->name,
              route->refused);
    route->held_ms = 0;
}

static void look_at_requests(struct coppice_lobby *lobby) {
    for (uint32_t slot = 0; slot < lobby->settings.slots; slot++) {
        struct lobby_request *request = &lobby->slots[slot];
        if (!request->serial || lobby_owner_of(lobby, request) < 0) continue;
        int64_t started_ms = lobby_seat_started_ms(lobby, request);
        if (started_ms == 0) continue;
        if (lobby_route_runs(lobby->costs, request->route, lobby_process.now_ms - started_ms)) note_name(lobby, request);
    }
}

/* Readers may see a part of the one and of the other name. */
static void show(struct coppice_lobby *lobby, uint32_t held, const struct lobby_route *most) {
    lobby_count_to(lobby->counters, LOBBY_held_back, held);
    const char *name = most ? most->name : "";
    if (strcmp(lobby->held_route, name) != 0) memcpy(lobby->held_route, name, strlen(name) + 1);
}

void lobby_look_at_routes(struct coppice_lobby *lobby) {
    uint32_t waiting = 0;
    const struct lobby_route *most = NULL;
    lobby_route_look(lobby->costs, lobby_process.now_ms);
    if (lobby->used_slots > 0) look_at_requests(lobby);
    for (uint32_t at = 0; at < LOBBY_ROUTES; at++) {
        struct lobby_route *route = &lobby->costs->routes[at];
        if (route->hash == 0) continue;
        lobby_route_judge(lobby->costs, at, lobby_process.now_ms);
        bool waits = route->slow && route->waiting > 0;
        bool held = waits && !lobby_route_may_run(lobby->costs, at, lobby_process.now_ms);
        tell_of(lobby, route, held);
        if (!held) continue;
        waiting += route->waiting;
        if (!most || route->waiting > most->waiting) most = route;
    }
    show(lobby, waiting, most);
}
