/*
 * Few clients that read slowly may fill all that answers can be kept in. Then workers wait for them, and other clients
 * for the workers. First those are cut off that are slower than client_min_rate. If requests wait nevertheless, the
 * slowest reader goes, then the next one: an answer that can be asked for again, for all those who would get none.
 *
 * The file system of buffer_directory may be full sooner: then it is one reader in each tick, since other processes may
 * take the room that a cut has made.
 */
#include "loop.h"

enum {
    PATIENCE_MS = 1000, /* so long a request waits for workers that wait for readers */
    LEAST_MS = 500      /* a reader is not judged sooner */
};

static bool worker_waits(const struct coppice_lobby *lobby) {
    for (uint32_t seat = lobby->seat_first; seat != LOBBY_NONE; seat = lobby->seats[seat].next) {
        if (lobby->seats[seat].stalled) return true;
    }
    return false;
}

static bool reads(const struct lobby_connection *connection) {
    return connection->state != LOBBY_FREE && connection->output != LOBBY_NONE;
}

static void cut_below_min_rate(struct coppice_lobby *lobby) {
    for (uint32_t i = 0; i < lobby->connections_used && lobby->settings.client_min_rate > 0; i++) {
        if (!reads(&lobby->connections[i])) continue;
        lobby_output_cut_slow(lobby, lobby_take_in_hand(lobby, i));
        lobby_let_go(lobby);
    }
}

/* Of those whose end makes room, or LOBBY_NONE. */
static uint32_t slowest(const struct coppice_lobby *lobby) {
    uint32_t found = LOBBY_NONE;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < lobby->connections_used; i++) {
        const struct lobby_connection *connection = &lobby->connections[i];
        if (!reads(connection)) continue;
        const struct lobby_output *output = lobby_output_of(lobby, connection);
        if (!lobby_output_cut_helps(lobby, output) || lobby_process.now_ms < output->begun_ms + LEAST_MS) continue;
        int64_t rate = lobby_output_rate(output);
        if (rate >= least) continue;
        least = rate;
        found = i;
    }
    return found;
}

static void cut_slowest(struct coppice_lobby *lobby) {
    while (lobby_output_short_of_room(lobby)) {
        uint32_t index = slowest(lobby);
        lobby_process.readers_checked = index == LOBBY_NONE || lobby_output_within_limits(lobby);
        if (index == LOBBY_NONE) return;
        lobby_take_in_hand(lobby, index);
        lobby_output_cut(lobby);
        lobby_let_go(lobby);
        if (lobby_process.readers_checked) return; /* the file system is full: the next one in the next tick */
    }
}

void lobby_cut_slow_readers(struct coppice_lobby *lobby) {
    if (lobby_process.readers_checked || (lobby_output_within_limits(lobby) && !lobby_process.disk_full)) return;
    if (!worker_waits(lobby)) return;
    lobby_process.readers_checked = true;
    cut_below_min_rate(lobby);
    if (lobby_output_short_of_room(lobby) && lobby_longest_wait_ms(lobby) >= PATIENCE_MS) cut_slowest(lobby);
}
