/* What epoll watches, by tags that say whom an event is for. */
#include <errno.h>
#include <sys/epoll.h>

#include "memory.h"

static const uint32_t connection_events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;

static uint64_t tag_of(enum lobby_source source, uint32_t generation, uint32_t index) {
    uint64_t same = generation & LOBBY_GENERATION_MASK;
    return (uint64_t)source << LOBBY_SOURCE_SHIFT | same << LOBBY_GENERATION_SHIFT | index;
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
