/* What comes with time: timers of connections, and a tick for what has none. */
#include "loop.h"

enum {
    TICK_MS = 250,
    TRIM_MS = 1000,
    DRAIN_GRACE_MS = 1000,
    DEADLINE_GRACE_MS = 1000, /* a worker that can answer does so first, also where it waits for a processor */
    SEEN_MS = 2000
};

static void head_timed_out(const struct lobby_connection *connection) {
    if (connection->arrived_us == 0) /* a health check, or a browser's spare connection: it gets no answer */
        lobby_wish(LOBBY_CLOSE);
    else
        lobby_wish_refusal(408, "the head did not arrive within client_header_timeout");
}

static void timed_out(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    if (connection->output != LOBBY_NONE) {
        lobby_output_waited(lobby, connection);
        return;
    }
    switch ((enum lobby_state)connection->state) {
    case LOBBY_HEAD:
        head_timed_out(connection);
        return;
    case LOBBY_BODY:
        lobby_body_waited(lobby, connection);
        return;
    case LOBBY_QUEUED:
        lobby_queue_timed_out(lobby, connection);
        return;
    case LOBBY_IDLE:
    case LOBBY_LINGERING:
        lobby_wish(LOBBY_CLOSE);
        return;
    case LOBBY_FREE:
    case LOBBY_FLUSHING:
        return;
    }
}

void lobby_expire(struct coppice_lobby *lobby) {
    uint32_t index;
    while ((index = coppice_timer_wheel_expire(&lobby->wheel, lobby_process.now_ms)) != COPPICE_TIMER_NONE) {
        timed_out(lobby, lobby_take_in_hand(lobby, index));
        lobby_let_go(lobby);
    }
}

static bool overdue(const struct coppice_lobby *lobby, const struct lobby_request *request) {
    int64_t deadline_ms = lobby_seat_deadline_ms(lobby, request);
    if (deadline_ms <= 0 || lobby_seat_started_ms(lobby, request) == 0) return false;
    return lobby_process.now_ms > deadline_ms + DEADLINE_GRACE_MS;
}

/* A connection that was answered at once would have been registered for nothing: those that wait are, so that a client
 * that leaves is noticed. */
static void check_request(struct coppice_lobby *lobby, struct lobby_request *request) {
    int owner = lobby_owner_of(lobby, request);
    if (request->connection == LOBBY_NONE) return;
    struct lobby_connection *connection = lobby_take_in_hand(lobby, request->connection);
    if (!(connection->flags & LOBBY_REGISTERED)) lobby_register(lobby, connection);
    if (owner >= 0 && lobby->seats[owner].broken && !request->answered) {
        lobby_wish_refusal(502, "the worker's answer is malformed");
    } else if (owner >= 0 && !request->answered && overdue(lobby, request)) {
        lobby_wish_refusal(504, "the application took too long");
    }
    lobby_let_go(lobby);
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
    lobby_look_at_workers(lobby);
    lobby_look_at_routes(lobby);
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
    for (uint32_t word = 0; word < lobby->seat_words; word++) {
        if (lobby_process.ready[word]) return 0;
    }
    if (lobby_process.room_made || lobby_process.condemned || lobby_process.pushed > 0) return 0;
    if (lobby->uploads.first != LOBBY_NONE) return lobby_uploads_due(lobby) ? 0 : 1;
    int wait_ms = coppice_timer_wheel_wait_ms(&lobby->wheel, lobby_process.now_ms);
    /* A gauge that says so is to be corrected. */
    bool shown = atomic_load_explicit(&lobby->counters[LOBBY_waiting], memory_order_relaxed) > 0;
    bool ticking = lobby->used_slots > 0 || shown || lobby->draining || lobby_process.trims_left > 0 ||
                   (lobby->access_log && lobby->access_log->used > 0) || (lobby->accepting && !lobby_process.listening);
    int most_ms = ticking ? TICK_MS : SEEN_MS;
    return wait_ms < 0 || wait_ms > most_ms ? most_ms : wait_ms;
}
