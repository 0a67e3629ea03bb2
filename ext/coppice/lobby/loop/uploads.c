/*
 * Clients whose body goes to a file. To read and to write it takes so long that all others would wait behind a few fast
 * uploads. So the loop reads a part in a turn, after everything else, of one client after the other, and then nothing
 * for REST_MS. The rest is for a machine that is busy: the kernel lets a process wait that uses more than its share
 * of the processors, and one that has slept runs at once.
 */
#include "loop.h"

enum { TURN_BYTES = 512 * 1024, TURN_READS = 64, REST_MS = 1 };

static void read_piece(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    lobby_upload_leave(lobby, connection);
    if (!lobby_body_read(lobby, connection) || lobby_process.wish.kind != LOBBY_NO_WISH) return;
    if (connection->flags & (LOBBY_READABLE | LOBBY_HALF_CLOSED)) lobby_upload_enter(lobby, connection);
}

bool lobby_uploads_due(const struct coppice_lobby *lobby) {
    return lobby->uploads.first != LOBBY_NONE && lobby_process.now_ms >= lobby_process.next_uploads_ms;
}

static int64_t bytes_in(const struct coppice_lobby *lobby) {
    return atomic_load_explicit(&lobby->counters[LOBBY_bytes_in], memory_order_relaxed);
}

void lobby_read_uploads(struct coppice_lobby *lobby) {
    if (!lobby_uploads_due(lobby)) return;
    int64_t enough = bytes_in(lobby) + TURN_BYTES;
    for (int reads = 0; reads < TURN_READS && bytes_in(lobby) < enough; reads++) {
        if (lobby->uploads.first == LOBBY_NONE) break;
        read_piece(lobby, lobby_take_in_hand(lobby, lobby->uploads.first));
        lobby_let_go(lobby);
    }
    lobby_read_clock(lobby);
    lobby_process.next_uploads_ms = lobby_process.now_ms + REST_MS;
    lobby_settle_condemned(lobby);
}
