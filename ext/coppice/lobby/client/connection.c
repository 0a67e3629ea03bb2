/* The life of a connection, but for its requests: from a free record back to a free record. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lobby/parts.h"

#ifndef LINGER_PAUSE_MS /* tests have it longer than a busy machine keeps a client from running */
#define LINGER_PAUSE_MS 2000
#endif

enum {
    LINGER_MS = 30 * 1000,
    DISCARD_BYTES = 16 * 1024,
    DISCARD_PIECES = 64,
    MOST_LOOKS = 256
};

void lobby_arm(struct coppice_lobby *lobby, struct lobby_connection *connection, int64_t due_ms) {
    coppice_timer_wheel_arm(&lobby->wheel, lobby_index_of(lobby, connection), due_ms);
}

void lobby_disarm(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    coppice_timer_wheel_cancel(&lobby->wheel, lobby_index_of(lobby, connection));
}

/* Prefers a record that was used before: it touches no new page. */
static uint32_t take_record(struct coppice_lobby *lobby) {
    uint32_t index = lobby->free_connection;
    if (index != LOBBY_NONE)
        lobby->free_connection = lobby->connections[index].next;
    else if (lobby->connections_used < lobby->settings.max_connections)
        index = lobby->connections_used++;
    return index;
}

struct lobby_connection *lobby_open(struct coppice_lobby *lobby, int fd) {
    uint32_t index = take_record(lobby);
    if (index == LOBBY_NONE) return NULL;
    lobby->in_hand = index;
    atomic_signal_fence(memory_order_seq_cst); /* a successor knows of it before there is anything in it */
    struct lobby_connection *connection = &lobby->connections[index];
    *connection = (struct lobby_connection){
        .timer = connection->timer,
        .fd = fd,
        .generation = connection->generation + 1,
        .next = LOBBY_NONE,
        .previous = LOBBY_NONE,
        .intake = LOBBY_NONE,
        .output = LOBBY_NONE,
        .client_entry = LOBBY_NONE,
        .state = LOBBY_HEAD,
    };
    lobby_count(lobby, LOBBY_accepted, 1);
    lobby_count_to(lobby->counters, LOBBY_connections, ++lobby->open_connections);
    return connection;
}

void lobby_list_append(struct coppice_lobby *lobby, struct lobby_list *list, struct lobby_connection *connection) {
    uint32_t index = lobby_index_of(lobby, connection);
    connection->next = LOBBY_NONE;
    connection->previous = list->last;
    *(list->last == LOBBY_NONE ? &list->first : &lobby->connections[list->last].next) = index;
    list->last = index;
}

void lobby_list_remove(struct coppice_lobby *lobby, struct lobby_list *list, const struct lobby_connection *connection) {
    uint32_t next = connection->next, previous = connection->previous;
    *(previous == LOBBY_NONE ? &list->first : &lobby->connections[previous].next) = next;
    *(next == LOBBY_NONE ? &list->last : &lobby->connections[next].previous) = previous;
}

static void enter_idle(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    connection->state = LOBBY_IDLE;
    lobby_list_append(lobby, &lobby->idle, connection);
    lobby_count_to(lobby->counters, LOBBY_idle, ++lobby->idle_connections);
}

void lobby_leave_idle(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    if (connection->state != LOBBY_IDLE) return;
    lobby_list_remove(lobby, &lobby->idle, connection);
    connection->state = LOBBY_HEAD;
    lobby_count_to(lobby->counters, LOBBY_idle, --lobby->idle_connections);
}

static void release(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    lobby_leave_idle(lobby, connection);
    if (connection->serial) lobby_request_drop(lobby, connection);
    lobby_intake_release(lobby, connection);
    lobby_output_release(lobby, connection);
    lobby_disarm(lobby, connection);
}

void lobby_close(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    release(lobby, connection);
    lobby_client_leave(lobby, connection);
    close(lobby_forget_descriptor(&connection->fd));
    connection->state = LOBBY_FREE;
    connection->flags = 0;
    connection->generation++;
    connection->next = lobby->free_connection;
    lobby->free_connection = lobby_index_of(lobby, connection);
    lobby_process.paused_until_ms = 0;
    lobby_count_to(lobby->counters, LOBBY_connections, --lobby->open_connections);
}

/* So that the client cannot take what it has for the whole answer. */
void lobby_reset(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    struct linger hard = {.l_onoff = 1, .l_linger = 0};
    setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    lobby_close(lobby, connection);
}

void lobby_client_gone(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    if (connection->serial || connection->output != LOBBY_NONE) lobby_count(lobby, LOBBY_client_gone, 1);
    lobby_close(lobby, connection);
}

/* The kernel answers unread bytes with a reset, which may destroy the answer on its way: so they are read and thrown
 * away until the client closes, pauses, or has had enough time. */
void lobby_linger(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    release(lobby, connection);
    connection->state = LOBBY_LINGERING;
    connection->lingers_until_ms = lobby_process.now_ms + LINGER_MS;
    if (shutdown(connection->fd, SHUT_WR) != 0 || !lobby_register(lobby, connection)) {
        lobby_close(lobby, connection);
        return;
    }
    lobby_arm(lobby, connection, lobby_process.now_ms + LINGER_PAUSE_MS);
    lobby_discard(lobby, connection);
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
            lobby_close(lobby, connection);
            return;
        }
        lobby_count(lobby, LOBBY_bytes_in, count);
    }
    if (!lobby_register(lobby, connection)) lobby_close(lobby, connection); /* the others first: reports it again */
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

int64_t lobby_keepalive_ms(const struct coppice_lobby *lobby, const struct lobby_connection *connection) {
    bool trusted = connection->flags & LOBBY_TRUSTED_PEER;
    return trusted ? lobby->settings.trusted_keepalive_timeout_ms : lobby->settings.keepalive_timeout_ms;
}

static void keep(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    enter_idle(lobby, connection);
    if (!(connection->flags & LOBBY_REGISTERED) && !lobby_register(lobby, connection)) {
        lobby_close(lobby, connection);
        return;
    }
    lobby_arm(lobby, connection, lobby_process.now_ms + lobby_keepalive_ms(lobby, connection));
    if (connection->flags & (LOBBY_READABLE | LOBBY_HALF_CLOSED)) lobby_read(lobby, connection);
}

void lobby_answered(struct coppice_lobby *lobby, struct lobby_connection *connection, enum lobby_end end) {
    connection->serial = 0;
    connection->arrived_us = 0;
    if (end == LOBBY_END_RESET) {
        lobby_reset(lobby, connection);
    } else if (end == LOBBY_END_KEEP && !(connection->flags & LOBBY_NO_KEEP)) {
        connection->flags &= (uint16_t)~LOBBY_HAD_BODY;
        if (connection->intake != LOBBY_NONE)
            lobby_read_buffered(lobby, connection);
        else
            keep(lobby, connection);
    } else if (unread_bytes(connection)) {
        lobby_linger(lobby, connection);
    } else {
        lobby_close(lobby, connection);
    }
}

/* One that has its answer and is still sending. They are in no list: a bounded look goes on where the last one
 * ended. */
static bool evict_lingering(struct coppice_lobby *lobby) {
    uint32_t count = lobby->connections_used;
    for (uint32_t looks = 0; looks < MOST_LOOKS && looks < count; looks++) {
        lobby_process.evicted = (lobby_process.evicted + 1) % count;
        struct lobby_connection *connection = &lobby->connections[lobby_process.evicted];
        if (connection->state != LOBBY_LINGERING) continue;
        lobby_close(lobby, connection);
        return true;
    }
    return false;
}

bool lobby_evict(struct coppice_lobby *lobby) {
    if (lobby->idle.first == LOBBY_NONE) return evict_lingering(lobby);
    lobby_count(lobby, LOBBY_evicted, 1);
    lobby_close(lobby, &lobby->connections[lobby->idle.first]);
    return true;
}
