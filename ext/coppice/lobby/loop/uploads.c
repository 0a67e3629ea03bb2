/*
 * Clients whose body goes to a file. To read and to write it takes so long that all others would wait behind a few fast
 * uploads. So the loop reads a part in a turn, after everything else, of one client after the other, and then nothing
 * for REST_MS. The rest is for a machine that is busy: the kernel lets a process wait that uses more than its share
 * of the processors, and one that has slept runs at once.
 */
#include "lobby/parts.h"

enum { TURN_BYTES = 512 * 1024, TURN_READS = 64, REST_MS = 1 };

bool lobby_upload_enter(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    if (lobby_intake_of(lobby, connection)->file < 0) return false;
    if (connection->flags & LOBBY_UPLOAD) return true;
    connection->flags |= LOBBY_UPLOAD;
    lobby_list_append(lobby, &lobby->uploads, connection);
    return true;
}

void lobby_upload_leave(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    if (!(connection->flags & LOBBY_UPLOAD)) return;
    connection->flags &= (uint16_t)~LOBBY_UPLOAD;
    lobby_list_remove(lobby, &lobby->uploads, connection);
}

static void read_piece(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    uint32_t generation = connection->generation;
    lobby_upload_leave(lobby, connection);
    if (!lobby_body_read(lobby, connection) || connection->generation != generation) return;
    bool more = connection->flags & (LOBBY_READABLE | LOBBY_HALF_CLOSED);
    if (more && connection->state == LOBBY_BODY) lobby_upload_enter(lobby, connection);
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
        lobby->in_hand = lobby->uploads.first;
        read_piece(lobby, &lobby->connections[lobby->in_hand]);
        lobby->in_hand = LOBBY_NONE;
    }
    lobby_read_clock(lobby);
    lobby_process.next_uploads_ms = lobby_process.now_ms + REST_MS;
}
