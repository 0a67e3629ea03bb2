/*
 * What a loop finds: the records are the truth, and everything that can be made from them is made again. The connection
 * that the dead loop was working on may be half changed, so it is closed. The others go on: their registrations live in
 * the epoll instance, but edges that the dead loop has taken are lost, so each is made to report again.
 */
#include <sys/socket.h>
#include <unistd.h>

#include "loop.h"

static void reset_lists(struct coppice_lobby *lobby) {
    lobby->free_connection = lobby->free_slot = LOBBY_NONE;
    lobby->seat_first = lobby->seat_last = LOBBY_NONE;
    lobby->idle = lobby->uploads = (struct lobby_list){LOBBY_NONE, LOBBY_NONE};
    lobby->open_connections = lobby->idle_connections = lobby->used_slots = lobby->backlog_count = 0;
    if (lobby->loops_started > 1) lobby_routes_idle(lobby->costs);
    lobby->file_bytes = lobby->spilled_bytes = 0;
    lobby_count_to(lobby->counters, LOBBY_buffered_bytes, 0);
    coppice_block_pool_begin(lobby->small);
    coppice_block_pool_begin(lobby->large);
    coppice_block_pool_begin(lobby->outputs);
    coppice_block_pool_begin(lobby->blocks);
    if (lobby->loops_started > 1) lobby_clients_clear(lobby); /* the first loop has zeros, on pages never touched */
}

/* A request was pushed, but its number was not noted yet. */
static void finish_push(struct coppice_lobby *lobby) {
    if (atomic_load(&lobby->queue->tail) != lobby->tail + 1) return;
    uint32_t slot = lobby->pushed[lobby->tail & (lobby->queue_size - 1)];
    if (slot < lobby->settings.slots && lobby->slots[slot].serial) {
        lobby->slots[slot].position = lobby->tail;
        lobby->slots[slot].owner = COPPICE_QUEUE_UNOWNED;
    }
    lobby->tail++;
}

static bool keep_intake(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    if (connection->intake == LOBBY_NONE) return true;
    bool large = connection->flags & LOBBY_LARGE;
    if (!coppice_block_pool_keep(large ? lobby->large : lobby->small, connection->intake)) return false;
    const struct lobby_intake *intake = lobby_intake_of(lobby, connection);
    if (intake->length > intake->capacity) return false;
    if (intake->file >= 0) lobby->file_bytes += intake->file_length;
    return true;
}

static bool keep_output(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    if (connection->output == LOBBY_NONE) return true;
    if (!coppice_block_pool_keep(lobby->outputs, connection->output)) return false;
    const struct lobby_output *output = lobby_output_of(lobby, connection);
    for (uint32_t block = output->first; block != LOBBY_NONE;) {
        if (!coppice_block_pool_keep(lobby->blocks, block)) return false;
        block = ((const struct lobby_output_block *)(const void *)coppice_block_pool_at(lobby->blocks, block))->next;
    }
    if (output->spill >= 0) {
        lobby->file_bytes += output->spill_end;
        lobby->spilled_bytes += output->spill_end;
    }
    lobby_count(lobby, LOBBY_buffered_bytes, (int64_t)output->buffered);
    return true;
}

static void make_free(struct coppice_lobby *lobby, uint32_t index) {
    struct lobby_connection *connection = &lobby->connections[index];
    connection->state = LOBBY_FREE;
    connection->timer.due = 0;
    connection->next = lobby->free_connection;
    lobby->free_connection = index;
}

/* What it had is given back as far as it makes sense. A client that was passed is another process's to close. */
static void give_up(struct coppice_lobby *lobby, uint32_t index, bool intake, bool output) {
    struct lobby_connection *connection = &lobby->connections[index];
    if (intake) lobby_intake_release(lobby, connection);
    if (output) lobby_output_release(lobby, connection);
    struct linger hard = {.l_onoff = 1, .l_linger = 0};
    bool passed = connection->flags & LOBBY_PASSED;
    if (!passed) setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    close(lobby_forget_descriptor(&connection->fd));
    connection->generation++;
    make_free(lobby, index);
}

static void keep_connection(struct coppice_lobby *lobby, uint32_t index, bool in_hand) {
    struct lobby_connection *connection = &lobby->connections[index];
    connection->client_entry = LOBBY_NONE;
    connection->flags &= (uint16_t)~LOBBY_UPLOAD;
    bool intake = keep_intake(lobby, connection), output = keep_output(lobby, connection);
    bool answerable = !connection->serial || lobby_request_of(lobby, connection->serial);
    if (in_hand || !intake || !output || !answerable) {
        give_up(lobby, index, intake, output);
        return;
    }
    lobby->open_connections++;
    lobby_client_enter(lobby, connection);
    if (connection->state == LOBBY_IDLE) {
        lobby_list_append(lobby, &lobby->idle, connection);
        lobby->idle_connections++;
    }
    if (connection->flags & LOBBY_REGISTERED) lobby_register(lobby, connection);
}

static void keep_slot(struct coppice_lobby *lobby, uint32_t slot) {
    struct lobby_request *request = &lobby->slots[slot];
    uint32_t index = request->connection;
    bool waits = request->owner == LOBBY_BACKLOG;
    if (!request->serial || (request->position == 0 && !waits)) {
        request->serial = 0;
        request->next_free = lobby->free_slot;
        lobby->free_slot = slot;
        return;
    }
    lobby->used_slots++;
    lobby->file_bytes += request->body_file_bytes;
    bool mutual = index < lobby->connections_used && lobby->connections[index].state != LOBBY_FREE &&
                  lobby->connections[index].serial == request->serial;
    request->runs = !waits;
    if (waits)
        lobby_backlog_add(lobby, request);
    else
        lobby_route_begins(lobby->costs, request->route);
    if (request->verdict) lobby_process.condemned = true;
    if (mutual) return;
    request->connection = LOBBY_NONE;
    atomic_store(&lobby_slot_at(lobby, slot)->client_gone, 1);
}

static void keep_seats(struct coppice_lobby *lobby) {
    for (uint32_t seat = 0; seat < COPPICE_LOBBY_SEATS; seat++) {
        if (!lobby->seats[seat].used) continue;
        lobby_seat_link(lobby, seat);
        lobby_seat_map(lobby, seat);
        lobby_seat_wake(lobby, seat); /* the dead loop may have been about to */
    }
}

void lobby_take_over(struct coppice_lobby *lobby) {
    uint32_t in_hand = lobby->in_hand;
    reset_lists(lobby);
    finish_push(lobby);
    for (uint32_t i = lobby->connections_used; i-- > 0;) {
        if (lobby->connections[i].state == LOBBY_FREE)
            make_free(lobby, i);
        else
            keep_connection(lobby, i, i == in_hand);
    }
    lobby->in_hand = LOBBY_NONE;
    if (lobby->loops_started > 1) lobby_close_strays(lobby);
    coppice_timer_wheel_init(&lobby->wheel, &lobby->connections[0].timer, sizeof(struct lobby_connection),
                             lobby->connections_used, lobby_process.now_ms);
    for (uint32_t slot = lobby->settings.slots; slot-- > 0;) keep_slot(lobby, slot);
    keep_seats(lobby);
    lobby_count_to(lobby->counters, LOBBY_connections, lobby->open_connections);
    lobby_count_to(lobby->counters, LOBBY_paused, 0);
    lobby_count_to(lobby->counters, LOBBY_idle, lobby->idle_connections);
    lobby_count_to(lobby->counters, LOBBY_file_bytes, (int64_t)lobby->file_bytes);
}
