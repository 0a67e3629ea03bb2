/* What epoll watches, and whom an event is for. */
#include <errno.h>
#include <sys/epoll.h>

#include "lobby/parts.h"

enum { SOURCE_SHIFT = 56, GENERATION_SHIFT = 32 };

static const uint32_t connection_events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;

static uint64_t tag_of(enum lobby_source source, uint32_t generation, uint32_t index) {
    return (uint64_t)source << SOURCE_SHIFT | (uint64_t)(generation & 0xffffff) << GENERATION_SHIFT | index;
}

static bool control(const struct coppice_lobby *lobby, int operation, int fd, uint32_t events, uint64_t tag) {
    struct epoll_event event = {.events = events, .data.u64 = tag};
    return epoll_ctl(lobby->epoll_fd, operation, fd, &event) == 0;
}

/* Also what the epoll instance has already, from the loop before this one: to change it makes it report again. On false
 * errno says why. */
bool lobby_watch(const struct coppice_lobby *lobby, int fd, enum lobby_source source, uint32_t index, uint32_t events) {
    uint64_t tag = tag_of(source, 0, index);
    if (control(lobby, EPOLL_CTL_ADD, fd, events, tag)) return true;
    return errno == EEXIST && control(lobby, EPOLL_CTL_MOD, fd, events, tag);
}

/* For both directions at once: with edges, a direction that nobody waits for makes no events. */
bool lobby_register(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    uint64_t tag = tag_of(LOBBY_CONNECTION, connection->generation, lobby_index_of(lobby, connection));
    int operation = connection->flags & LOBBY_REGISTERED ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (!control(lobby, operation, connection->fd, connection_events, tag)) return false;
    connection->flags |= LOBBY_REGISTERED;
    return true;
}

/* A descriptor that another process has a copy of stays registered when it is closed here. */
void lobby_unregister(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    if (!(connection->flags & LOBBY_REGISTERED)) return;
    control(lobby, EPOLL_CTL_DEL, connection->fd, 0, 0);
    connection->flags &= (uint16_t)~LOBBY_REGISTERED;
}

static void handle_connection(struct coppice_lobby *lobby, struct lobby_connection *connection, uint32_t events) {
    uint32_t generation = connection->generation;
    if (events & EPOLLRDHUP) connection->flags |= LOBBY_HALF_CLOSED;
    if (events & (EPOLLIN | EPOLLRDHUP)) connection->flags |= LOBBY_READABLE;
    if (events & (EPOLLERR | EPOLLHUP) && connection->state != LOBBY_LINGERING) {
        lobby_client_gone(lobby, connection);
        return;
    }
    if (events & EPOLLOUT && connection->output != LOBBY_NONE) lobby_output_flush(lobby, connection);
    if (connection->generation == generation && connection->flags & LOBBY_READABLE) lobby_read(lobby, connection);
}

void lobby_handle_event(struct coppice_lobby *lobby, uint64_t tag, uint32_t events) {
    uint32_t index = (uint32_t)tag;
    switch ((enum lobby_source)(tag >> SOURCE_SHIFT)) {
    case LOBBY_CHANNEL:
        lobby_channel_read(lobby);
        return;
    case LOBBY_EVENT:
        return; /* it has ended the wait, which is all it is for */
    case LOBBY_KEEPER:
        lobby_keeper_died(lobby);
        return;
    case LOBBY_LISTENER:
        lobby_accept(lobby, index);
        return;
    case LOBBY_SEAT:
        if (lobby->seats[index].used) lobby_seat_read(lobby, index);
        return;
    case LOBBY_CONNECTION:
        break;
    }
    struct lobby_connection *connection = &lobby->connections[index];
    bool same = (connection->generation & 0xffffff) == (tag >> GENERATION_SHIFT & 0xffffff);
    if (connection->state == LOBBY_FREE || !same) return;
    lobby->in_hand = index;
    handle_connection(lobby, connection, events);
    lobby->in_hand = LOBBY_NONE;
}
