/*
 * Clients that a dead loop had accepted, but not noted yet: the keeper holds their descriptors open, so they would never
 * be answered. No other stream socket is the lobby's, but for listeners, and what the access log may go to.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "parts.h"

enum { MOST_DESCRIPTORS = 1024 * 1024, FIRST = 3, SPARE = 64 };

static uint64_t known[MOST_DESCRIPTORS / 64];

static int option(int fd, int name) {
    int value = -1;
    socklen_t length = sizeof(value);
    return getsockopt(fd, SOL_SOCKET, name, &value, &length) == 0 ? value : -1;
}

static bool is_client(const struct coppice_lobby *lobby, int fd) {
    if (lobby->access_log && lobby->access_log->fd == fd) return false;
    return option(fd, SO_TYPE) == SOCK_STREAM && option(fd, SO_ACCEPTCONN) == 0;
}

/* The kernel gives the lowest free number, so none is far beyond those that are known. */
void lobby_close_strays(const struct coppice_lobby *lobby) {
    int highest = lobby->epoll_fd;
    memset(known, 0, sizeof(known)); /* this may be a copy of an earlier loop */
    for (uint32_t i = 0; i < lobby->settings.max_connections; i++) {
        const struct lobby_connection *connection = &lobby->connections[i];
        if (connection->state == LOBBY_FREE || connection->fd < 0 || connection->fd >= MOST_DESCRIPTORS) continue;
        known[connection->fd / 64] |= UINT64_C(1) << (connection->fd % 64);
        if (connection->fd > highest) highest = connection->fd;
    }
    for (uint32_t seat = 0; seat < COPPICE_LOBBY_SEATS; seat++) {
        if (lobby->seats[seat].used && lobby->seats[seat].socket_fd > highest) highest = lobby->seats[seat].socket_fd;
    }
    int end = highest + SPARE < MOST_DESCRIPTORS ? highest + SPARE : MOST_DESCRIPTORS;
    for (int fd = FIRST; fd < end; fd++) {
        bool noted = known[fd / 64] >> (fd % 64) & 1;
        if (!noted && is_client(lobby, fd)) close(fd);
    }
}
