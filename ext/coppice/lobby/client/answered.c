/* What becomes of a connection whose answer is sent to the end. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client.h"

#ifndef LINGER_PAUSE_MS /* tests have it longer than a busy machine keeps a client from running */
#define LINGER_PAUSE_MS 2000
#endif

enum { LINGER_MS = 30 * 1000, DISCARD_BYTES = 16 * 1024, DISCARD_PIECES = 64 };

void lobby_reset(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    struct linger hard = {.l_onoff = 1, .l_linger = 0};
    setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    lobby_close(lobby, connection);
}

void lobby_discard(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    static char waste[DISCARD_BYTES];
    for (int i = 0; i < DISCARD_PIECES; i++) {
        ssize_t count = recv(connection->fd, waste, sizeof(waste), MSG_DONTWAIT);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
            int64_t silent_ms = lobby_process.now_ms + LINGER_PAUSE_MS, end_ms = connection->lingers_until_ms;
            if (i > 0) lobby_arm(lobby, connection, silent_ms < end_ms ? silent_ms : end_ms);
            return;
        }
        if (count <= 0) {
            lobby_wish(LOBBY_CLOSE);
            return;
        }
        lobby_count(lobby, LOBBY_bytes_in, count);
    }
    if (!lobby_register(lobby, connection)) lobby_wish(LOBBY_CLOSE); /* the others first: reports it again */
}

/* The kernel answers unread bytes with a reset, which may destroy the answer on its way: so they are read and thrown
 * away until the client closes, pauses, or has had enough time. */
static void linger(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    lobby_release(lobby, connection);
    connection->state = LOBBY_LINGERING;
    connection->lingers_until_ms = lobby_process.now_ms + LINGER_MS;
    if (shutdown(connection->fd, SHUT_WR) != 0 || !lobby_register(lobby, connection)) {
        lobby_wish(LOBBY_CLOSE);
        return;
    }
    lobby_arm(lobby, connection, lobby_process.now_ms + LINGER_PAUSE_MS);
    lobby_discard(lobby, connection);
}

/* Behind a body some clients send a stray line end. Without one, what came along was read with the head; and what came
 * later epoll may not have told yet, so the kernel is asked, unless the client has announced its last request. */
static bool unread_bytes(const struct lobby_connection *connection) {
    char byte;
    if (connection->intake != LOBBY_NONE || connection->flags & LOBBY_NO_KEEP) return true;
    bool silent = !(connection->flags & (LOBBY_READABLE | LOBBY_HAD_BODY));
    if (silent && connection->flags & LOBBY_LAST_REQUEST) return false;
    return recv(connection->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static void keep(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    lobby_enter_idle(lobby, connection);
    if (!(connection->flags & LOBBY_REGISTERED) && !lobby_register(lobby, connection)) {
        lobby_wish(LOBBY_CLOSE);
        return;
    }
    lobby_arm(lobby, connection, lobby_process.now_ms + lobby_keepalive_ms(lobby, connection));
    if (connection->flags & (LOBBY_READABLE | LOBBY_HALF_CLOSED)) lobby_wish(LOBBY_READ);
}

void lobby_answered(struct coppice_lobby *lobby, struct lobby_connection *connection, enum lobby_end end) {
    connection->serial = 0;
    connection->arrived_us = 0;
    if (end == LOBBY_END_RESET) {
        lobby_wish(LOBBY_RESET);
    } else if (end == LOBBY_END_KEEP && !(connection->flags & LOBBY_NO_KEEP)) {
        connection->flags &= (uint16_t)~LOBBY_HAD_BODY;
        if (connection->intake != LOBBY_NONE)
            lobby_wish(LOBBY_READ_BUFFERED);
        else
            keep(lobby, connection);
    } else if (unread_bytes(connection)) {
        linger(lobby, connection);
    } else {
        lobby_wish(LOBBY_CLOSE);
    }
}
