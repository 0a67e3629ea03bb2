/* Lists of connections, by `next` and `previous`: idle ones, and those whose body goes to a file. */
#include "memory.h"

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

void lobby_enter_idle(struct coppice_lobby *lobby, struct lobby_connection *connection) {
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
