/* The channel to the monitor: text packets, each a line of words, then lines "name value". */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loop.h"
#include "shared/packets.h"

enum { PACKET_BYTES = 64 * 1024, DESCRIPTORS = 8 };

static uint64_t line_value(const char *lines, const char *name) {
    size_t length = strlen(name);
    for (const char *line = lines; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ' ') return strtoull(line + length + 1, NULL, 10);
    }
    return 0;
}

/* Takes its descriptors, unless some of them are missing: the kernel drops those that there is no room for. */
static void handle_seat(struct coppice_lobby *lobby, const char *words, const char *lines, int *descriptors,
                        int count) {
    bool whole = count == 3;
    struct stat stat;
    struct lobby_seat seat = {
        .used = true,
        .lost = !whole,
        .first = line_value(lines, "first") == 1,
        .worker = (uint16_t)line_value(lines, "slot"),
        .generation = (uint32_t)line_value(lines, "generation"),
        .ring_fd = whole ? lobby_forget_descriptor(&descriptors[0]) : -1,
        .event_fd = whole ? lobby_forget_descriptor(&descriptors[1]) : -1,
        .socket_fd = whole ? lobby_forget_descriptor(&descriptors[2]) : -1,
        .file = -1,
        .deadline_at = line_value(lines, "deadline"),
        .started_at = line_value(lines, "started"),
    };
    if (whole && fstat(seat.ring_fd, &stat) == 0) seat.inode = (uint64_t)stat.st_ino;
    uint32_t number = (uint32_t)strtoul(words, NULL, 10);
    if (!lobby_seat_is_new(lobby, number, &seat)) return;
    if (lobby->seats[number].used) lobby_lose_seat(lobby, number, false, false);
    lobby_seat_add(lobby, number, &seat);
}

static void handle_gone(struct coppice_lobby *lobby, const char *words) {
    char how[16] = "", cause[32] = "";
    unsigned number = 0;
    if (sscanf(words, "%u %15s %31s", &number, how, cause) < 1) return;
    lobby_lose_seat(lobby, number, strcmp(how, "retry") == 0, strcmp(cause, "timeout") == 0);
}

static void begin_draining(struct coppice_lobby *lobby) {
    lobby_close_listeners(lobby);
    if (!lobby->draining) lobby->drain_since_ms = lobby_process.now_ms;
    lobby->draining = lobby->closing = true;
    atomic_store(&lobby->queue->closing, 1);
}

/* Takes the descriptors that it keeps: puts -1 in their places. */
static void handle(struct coppice_lobby *lobby, char *text, int *descriptors, int count) {
    char *lines = strchr(text, '\n');
    if (lines) *lines++ = '\0';
    if (strncmp(text, "seat ", 5) == 0) {
        handle_seat(lobby, text + 5, lines ? lines : "", descriptors, count);
    } else if (strncmp(text, "gone ", 5) == 0) {
        handle_gone(lobby, text + 5);
    } else if (strcmp(text, "accept") == 0) {
        lobby->accepting = !lobby->draining;
        lobby_listen(lobby);
    } else if (strcmp(text, "closing") == 0) {
        lobby->closing = true;
        atomic_store(&lobby->queue->closing, 1);
    } else if (strcmp(text, "drain") == 0) {
        begin_draining(lobby);
    } else if (strcmp(text, "stop") == 0) {
        lobby->stopping = true;
    } else if (strncmp(text, "log-level ", 10) == 0) {
        lobby->log_level = atoi(text + 10);
    } else if (strncmp(text, "heir ", 5) == 0) {
        lobby_heir_is(lobby, (uint32_t)strtoul(text + 5, NULL, 10));
    } else if (strcmp(text, "avoided-routes") == 0) {
        lobby_heir_avoids(lobby, lines ? lines : "");
    } else if (strncmp(text, "handshakes ", 11) == 0) {
        if (count == 0) lobby_log(lobby, LOBBY_ERROR, "no descriptor was left for the service of handshakes");
        lobby_handshakes_to(lobby, text + 11, count == 1 ? lobby_forget_descriptor(&descriptors[0]) : -1);
    } else if (strcmp(text, "no-handshakes") == 0) {
        lobby_handshakes_to(lobby, "", -1);
    } else if (strncmp(text, "hold-handshakes ", 16) == 0) {
        lobby->handshakes_held = text[16] == '1';
    } else if (strcmp(text, "reopen") == 0 && count == 1) {
        lobby_reopen_access_log(lobby, lobby_forget_descriptor(&descriptors[0]));
    } else {
        lobby_log(lobby, LOBBY_WARN, "the lobby got an unknown packet: %.100s", text);
    }
}

void lobby_channel_read(struct coppice_lobby *lobby) {
    static char text[PACKET_BYTES];
    struct iovec part = {.iov_base = text, .iov_len = sizeof(text) - 1};
    while (!lobby->monitor_gone) {
        int descriptors[DESCRIPTORS], count;
        lobby_spares_open(lobby); /* clients may be idle by now */
        lobby_spares_lend(lobby, LOBBY_SPARES);
        ssize_t length = coppice_packet_receive(lobby->channel_fd, &part, 1, descriptors, DESCRIPTORS, &count);
        bool empty = length < 0 && errno == EAGAIN;
        lobby_spares_open(lobby);
        if (empty) return;
        if (length <= 0) {
            lobby->monitor_gone = true;
            epoll_ctl(lobby->epoll_fd, EPOLL_CTL_DEL, lobby->channel_fd, NULL); /* it would stay readable */
            begin_draining(lobby);
            return;
        }
        text[length] = '\0';
        handle(lobby, text, descriptors, count);
        for (int i = 0; i < count; i++) {
            if (descriptors[i] >= 0) close(descriptors[i]);
        }
    }
}
