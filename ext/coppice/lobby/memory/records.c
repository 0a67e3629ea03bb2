/* A record of a connection: from a free one back to a free one. */
#include <unistd.h>

#include "memory.h"

enum { MOST_LOOKS = 256 };

void lobby_arm(struct coppice_lobby *lobby, struct lobby_connection *connection, int64_t due_ms) {
    coppice_timer_wheel_arm(&lobby->wheel, lobby_index_of(lobby, connection), due_ms);
}

void lobby_disarm(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    coppice_timer_wheel_cancel(&lobby->wheel, lobby_index_of(lobby, connection));
}

/* Prefers a record that was used before: it touches no new page. */
uint32_t lobby_record_take(struct coppice_lobby *lobby) {
    uint32_t index = lobby->free_connection;
    if (index != LOBBY_NONE)
        lobby->free_connection = lobby->connections[index].next;
    else if (lobby->connections_used < lobby->settings.max_connections)
        index = lobby->connections_used++;
    return index;
}

struct lobby_connection *lobby_open(struct coppice_lobby *lobby, uint32_t index, int fd) {
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

void lobby_release(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    lobby_leave_idle(lobby, connection);
    if (connection->serial) lobby_request_drop(lobby, connection);
    lobby_intake_release(lobby, connection);
    lobby_output_release(lobby, connection);
    lobby_disarm(lobby, connection);
}

void lobby_close(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    lobby_release(lobby, connection);
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

int64_t lobby_keepalive_ms(const struct coppice_lobby *lobby, const struct lobby_connection *connection) {
    bool trusted = connection->flags & LOBBY_TRUSTED_PEER;
    return trusted ? lobby->settings.trusted_keepalive_timeout_ms : lobby->settings.keepalive_timeout_ms;
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
