/* Whom an event is for. */
#include <sys/epoll.h>

#include "loop.h"

static void handle_connection(struct coppice_lobby *lobby, struct lobby_connection *connection, uint32_t events) {
    uint32_t generation = connection->generation;
    if (events & EPOLLRDHUP) connection->flags |= LOBBY_HALF_CLOSED;
    if (events & (EPOLLIN | EPOLLRDHUP)) connection->flags |= LOBBY_READABLE;
    if (events & (EPOLLERR | EPOLLHUP) && connection->state != LOBBY_LINGERING) {
        lobby_wish_gone(lobby, connection);
        return;
    }
    if (events & EPOLLOUT && connection->output != LOBBY_NONE) lobby_output_flush(lobby, connection);
    lobby_settle(lobby);
    if (connection->generation == generation && connection->flags & LOBBY_READABLE) lobby_read(lobby, connection);
}

void lobby_handle_event(struct coppice_lobby *lobby, uint64_t tag, uint32_t events) {
    uint32_t index = (uint32_t)tag;
    switch ((enum lobby_source)(tag >> LOBBY_SOURCE_SHIFT)) {
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
        if (lobby->seats[index].used && lobby_seat_read(lobby, index)) lobby_seat_left(lobby, index);
        return;
    case LOBBY_CONNECTION:
        break;
    }
    const struct lobby_connection *connection = &lobby->connections[index];
    uint64_t generation = tag >> LOBBY_GENERATION_SHIFT & LOBBY_GENERATION_MASK;
    bool same = (connection->generation & LOBBY_GENERATION_MASK) == generation;
    if (connection->state == LOBBY_FREE || !same) return;
    handle_connection(lobby, lobby_take_in_hand(lobby, index), events);
    lobby_let_go(lobby);
}
