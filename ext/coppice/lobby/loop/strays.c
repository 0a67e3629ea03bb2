/*
 * Clients that a dead loop had accepted, but not noted yet: the keeper holds their descriptors open, so they would never
 * be answered. No other stream socket is the lobby's, but for listeners, which the monitor makes listen only once a worker
 * is ready, and what the access log may go to.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop.h"

enum { MOST_DESCRIPTORS = 1024 * 1024, FIRST = 3, SPARE = 64 };

static uint64_t known[MOST_DESCRIPTORS / 64];

static void note(int fd) {
    if (fd >= 0 && fd < MOST_DESCRIPTORS) known[fd / 64] |= UINT64_C(1) << (fd % 64);
}

static bool noted(int fd) {
    return known[fd / 64] >> (fd % 64) & 1;
}

static bool is_stream(int fd) {
    int type = 0;
    socklen_t length = sizeof(type);
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM;
}

/* The kernel gives the lowest free number, so none is far beyond those that are known. */
void lobby_close_strays(const struct coppice_lobby *lobby) {
    int highest = lobby->epoll_fd;
    memset(known, 0, sizeof(known)); /* this may be a copy of an earlier loop */
    if (lobby->access_log) note(lobby->access_log->fd);
    for (uint32_t i = 0; i < lobby->settings.listeners; i++) note(lobby->listener_fds[i]);
    for (uint32_t i = 0; i < lobby->connections_used; i++) {
        const struct lobby_connection *connection = &lobby->connections[i];
        if (connection->state == LOBBY_FREE) continue;
        note(connection->fd);
        if (connection->fd > highest) highest = connection->fd;
    }
    for (uint32_t seat = 0; seat < COPPICE_LOBBY_SEATS; seat++) {
        if (lobby->seats[seat].used && lobby->seats[seat].socket_fd > highest) highest = lobby->seats[seat].socket_fd;
    }
    int end = highest + SPARE < MOST_DESCRIPTORS ? highest + SPARE : MOST_DESCRIPTORS;
    for (int fd = FIRST; fd < end; fd++) {
        if (!noted(fd) && is_stream(fd)) close(fd);
    }
}
