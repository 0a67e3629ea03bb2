/* What comes with time: timers of connections, and a tick for what has none. */
#include "lobby/parts.h"

enum {
    TICK_MS = 250,
    TRIM_MS = 1000,
    DRAIN_GRACE_MS = 1000,
    DEADLINE_GRACE_MS = 1000, /* a worker that can answer does so first, also where it waits for a processor */
    SEEN_MS = 2000
};

static void head_timed_out(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    if (connection->arrived_us == 0) /* a health check, or a browser's spare connection: it gets no answer */
        lobby_close(lobby, connection);
    else
        lobby_refuse(lobby, connection, 408, "the head did not arrive within client_header_timeout");
}

static void timed_out(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    if (connection->output != LOBBY_NONE) {
        lobby_output_waited(lobby, connection);
        return;
    }
    switch ((enum lobby_state)connection->state) {
    case LOBBY_HEAD:
        head_timed_out(lobby, connection);
        return;
    case LOBBY_BODY:
        lobby_body_waited(lobby, connection);
        return;
    case LOBBY_QUEUED:
        lobby_queue_timed_out(lobby, connection);
        return;
    case LOBBY_IDLE:
    case LOBBY_LINGERING:
        lobby_close(lobby, connection);
        return;
    case LOBBY_FREE:
    case LOBBY_FLUSHING:
        return;
    }
}

void lobby_expire(struct coppice_lobby *lobby) {
    uint32_t index;
    while ((index = coppice_timer_wheel_expire(&lobby->wheel, lobby_process.now_ms)) != COPPICE_TIMER_NONE) {
        lobby->in_hand = index;
        timed_out(lobby, &lobby->connections[index]);
        lobby->in_hand = LOBBY_NONE;
    }
}

static int64_t board_value(const struct coppice_lobby *lobby, uint64_t offset) {
    if (offset == 0 || offset % sizeof(int64_t) != 0 || offset > lobby->board_bytes - sizeof(int64_t)) return 0;
    return atomic_load_explicit((_Atomic int64_t *)(void *)(lobby->board + offset), memory_order_acquire);
}

/* When its worker began, as the board says; 0: unknown. What was noted before this request came is another one's. */
int64_t lobby_seat_started_ms(const struct coppice_lobby *lobby, const struct lobby_request *request) {
    const struct coppice_lobby_slot *slot = lobby_slot_at(lobby, lobby_slot_of(lobby, request));
    int64_t started_ms = board_value(lobby, lobby->seats[request->owner].started_at);
    return started_ms < slot->queued_us / 1000 ? 0 : started_ms;
}

static bool overdue(const struct coppice_lobby *lobby, const struct lobby_request *request) {
    int64_t deadline_ms = board_value(lobby, lobby->seats[request->owner].deadline_at);
    if (deadline_ms <= 0 || lobby_seat_started_ms(lobby, request) == 0) return false;
    return lobby_process.now_ms > deadline_ms + DEADLINE_GRACE_MS;
}

/* A connection that was answered at once would have been registered for nothing: those that wait are, so that a client
 * that leaves is noticed. */
static void check_request(struct coppice_lobby *lobby, struct lobby_request *request) {
    int owner = lobby_owner_of(lobby, request);
    if (request->connection == LOBBY_NONE) return;
    struct lobby_connection *connection = &lobby->connections[request->connection];
    lobby->in_hand = request->connection;
    if (!(connection->flags & LOBBY_REGISTERED)) lobby_register(lobby, connection);
    if (owner >= 0 && lobby->seats[owner].broken && !request->answered) {
        lobby_refuse(lobby, connection, 502, "the worker's answer is malformed");
    } else if (owner >= 0 && !request->answered && overdue(lobby, request)) {
        lobby_refuse(lobby, connection, 504, "the application took too long");
    }
    lobby->in_hand = LOBBY_NONE;
}

static void close_idle(struct coppice_lobby *lobby) {
    if (!lobby->draining || lobby_process.now_ms < lobby->drain_since_ms + DRAIN_GRACE_MS) return;
    while (lobby->idle.first != LOBBY_NONE) lobby_close(lobby, &lobby->connections[lobby->idle.first]);
    for (uint32_t i = 0; i < lobby->connections_used; i++) { /* and those that never sent a byte */
        struct lobby_connection *connection = &lobby->connections[i];
        if (connection->state == LOBBY_HEAD && connection->arrived_us == 0) lobby_close(lobby, connection);
    }
}

static void trim(struct coppice_lobby *lobby) {
    if (lobby_process.now_ms < lobby_process.next_trim_ms) return;
    lobby_process.next_trim_ms = lobby_process.now_ms + TRIM_MS;
    uint32_t given = coppice_block_pool_trim(lobby->small) + coppice_block_pool_trim(lobby->large) +
                     coppice_block_pool_trim(lobby->outputs) + coppice_block_pool_trim(lobby->blocks);
    lobby_process.trims_left = given > 0 ? LOBBY_TRIMS : lobby_process.trims_left - (lobby_process.trims_left > 0);
}

void lobby_tick(struct coppice_lobby *lobby) {
    if (lobby_process.now_ms < lobby_process.next_tick_ms) return;
    lobby_process.next_tick_ms = lobby_process.now_ms + TICK_MS;
    for (uint32_t slot = 0; slot < lobby->settings.slots && lobby->used_slots > 0; slot++) {
        if (lobby->slots[slot].serial) check_request(lobby, &lobby->slots[slot]);
    }
    lobby_process.readers_checked = false;
    if (lobby_process.disk_full) lobby_process.room_made = true; /* other processes may have made it: ask again */
    lobby_process.disk_full = false;
    lobby_wake_again(lobby);
    if (lobby_process.paused_until_ms <= lobby_process.now_ms) lobby_listen(lobby);
    if (lobby->monitor_gone) lobby_seats_without_monitor(lobby);
    lobby_seats_tell_faults(lobby);
    close_idle(lobby);
    trim(lobby);
}

int lobby_wait_ms(const struct coppice_lobby *lobby) {
    for (uint32_t word = 0; word < COPPICE_LOBBY_SEATS / 64; word++) {
        if (lobby_process.ready[word]) return 0;
    }
    if (lobby_process.room_made || lobby_process.pushed > 0) return 0;
    if (lobby->uploads.first != LOBBY_NONE) return lobby_uploads_due(lobby) ? 0 : 1;
    int wait_ms = coppice_timer_wheel_wait_ms(&lobby->wheel, lobby_process.now_ms);
    /* A gauge that says so is to be corrected. */
    bool shown = atomic_load_explicit(&lobby->counters[LOBBY_waiting], memory_order_relaxed) > 0;
    bool ticking = lobby->used_slots > 0 || shown || lobby->draining || lobby_process.trims_left > 0 ||
                   (lobby->access_log && lobby->access_log->used > 0) || (lobby->accepting && !lobby_process.listening);
    int most_ms = ticking ? TICK_MS : SEEN_MS;
    return wait_ms < 0 || wait_ms > most_ms ? most_ms : wait_ms;
}
