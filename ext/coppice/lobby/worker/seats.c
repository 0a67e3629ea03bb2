/* The places of workers: their rings, their eventfds, the order in which they are woken. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lobby/parts.h"

void lobby_seat_wake(const struct coppice_lobby *lobby, uint32_t number) {
    uint64_t one = 1;
    (void)!write(lobby->seats[number].event_fd, &one, sizeof(one));
}

static void unlink_seat(struct coppice_lobby *lobby, uint32_t number) {
    struct lobby_seat *seat = &lobby->seats[number];
    *(seat->previous == LOBBY_NONE ? &lobby->seat_first : &lobby->seats[seat->previous].next) = seat->next;
    *(seat->next == LOBBY_NONE ? &lobby->seat_last : &lobby->seats[seat->next].previous) = seat->previous;
}

static void link_seat(struct coppice_lobby *lobby, uint32_t number, uint32_t before) {
    struct lobby_seat *seat = &lobby->seats[number];
    seat->next = before;
    seat->previous = before == LOBBY_NONE ? lobby->seat_last : lobby->seats[before].previous;
    *(seat->previous == LOBBY_NONE ? &lobby->seat_first : &lobby->seats[seat->previous].next) = number;
    *(before == LOBBY_NONE ? &lobby->seat_last : &lobby->seats[before].previous) = number;
}

static int32_t order(const struct lobby_seat *seat) { return seat->first ? -1 : seat->worker; }

/* The lowest worker first keeps the others cold; fair: the one first that has rested for longest. */
void lobby_seat_link(struct coppice_lobby *lobby, uint32_t number) {
    uint32_t before = LOBBY_NONE;
    if (!lobby->settings.fair) {
        before = lobby->seat_first;
        while (before != LOBBY_NONE && order(&lobby->seats[before]) <= order(&lobby->seats[number])) {
            before = lobby->seats[before].next;
        }
    }
    link_seat(lobby, number, before);
}

void lobby_seat_prefer(struct coppice_lobby *lobby, uint32_t number, bool first) {
    lobby->seats[number].first = first;
    unlink_seat(lobby, number);
    lobby_seat_link(lobby, number);
}

void lobby_seat_rested(struct coppice_lobby *lobby, uint32_t number) {
    if (!lobby->settings.fair || lobby->seat_last == number) return;
    unlink_seat(lobby, number);
    link_seat(lobby, number, LOBBY_NONE);
}

bool lobby_seat_map(struct coppice_lobby *lobby, uint32_t number) {
    struct lobby_seat *seat = &lobby->seats[number];
    if (seat->lost) return false;
    struct stat stat;
    struct coppice_answer_ring *ring = NULL;
    if (fstat(seat->ring_fd, &stat) == 0 && (size_t)stat.st_size >= coppice_answer_ring_file_bytes()) {
        ring = coppice_answer_ring_map(seat->ring_fd, true);
    }
    bool good = ring && ring->magic == COPPICE_LOBBY_MAGIC && ring->version == COPPICE_LOBBY_VERSION &&
                ring->bytes == COPPICE_RING_BYTES;
    if (ring && !good) coppice_answer_ring_unmap(ring);
    lobby_process.rings[number] = good ? ring : NULL;
    if (!good) lobby_seat_break(lobby, number, "it is no ring");
    lobby_watch(lobby, seat->socket_fd, LOBBY_SEAT, number, EPOLLIN | EPOLLET);
    lobby_seat_look(number);
    return good;
}

static void close_descriptors(const struct lobby_seat *seat) {
    close(seat->ring_fd);
    close(seat->event_fd);
    close(seat->socket_fd);
    if (seat->file >= 0) close(seat->file);
}

static void tell_of(const struct coppice_lobby *lobby, const char *fault, uint32_t number) {
    char text[32];
    snprintf(text, sizeof(text), "%s %u", fault, number);
    lobby_tell(lobby->channel_fd, text);
}

void lobby_seat_add(struct coppice_lobby *lobby, uint32_t number, const struct lobby_seat *seat) {
    bool known = number < COPPICE_LOBBY_SEATS && lobby->seats[number].used;
    bool repeated = known && (seat->lost || lobby->seats[number].inode == seat->inode);
    if (number >= COPPICE_LOBBY_SEATS || repeated) {
        close_descriptors(seat); /* it is told again after a takeover */
        return;
    }
    if (known) lobby_seat_gone(lobby, number, false, false);
    lobby->seats[number] = *seat;
    lobby_seat_link(lobby, number);
    lobby_seat_map(lobby, number);
    if (!seat->lost) return;
    lobby_log(lobby, LOBBY_ERROR,
              "no descriptor is left for a worker: raise the limit (ulimit -Hn, LimitNOFILE=)\nseat %u\nslot %u",
              number, seat->worker);
    tell_of(lobby, "lost", number);
}

/* Its request gets an answer of the lobby's, or an end that the client can tell from a whole answer. An answer that
 * stays open after it is framed by its head; where it is not, only a reset tells. */
void lobby_request_fail(struct coppice_lobby *lobby, struct lobby_request *request, int status, const char *reason) {
    assert(request->connection != LOBBY_NONE);
    struct lobby_connection *connection = &lobby->connections[request->connection];
    lobby->in_hand = request->connection;
    if (!request->answered) {
        lobby_refuse(lobby, connection, status, reason);
    } else {
        lobby_log_access(lobby, connection, request, request->status, request->sent, reason);
        lobby_request_drop(lobby, connection);
        request->connection = LOBBY_NONE;
        lobby_output_end(lobby, connection, request->keep ? LOBBY_END_CLOSE : LOBBY_END_RESET);
    }
    lobby->in_hand = LOBBY_NONE;
}

/* The monitor kills their workers. It may not have heard it before: the channel may have been full. */
void lobby_seats_tell_faults(const struct coppice_lobby *lobby) {
    for (uint32_t seat = lobby->seat_first; seat != LOBBY_NONE; seat = lobby->seats[seat].next) {
        if (lobby->seats[seat].broken) tell_of(lobby, "spoilt", seat);
        if (lobby->seats[seat].lost) tell_of(lobby, "lost", seat);
    }
}

void lobby_seat_break(struct coppice_lobby *lobby, uint32_t number, const char *why) {
    struct lobby_seat *seat = &lobby->seats[number];
    if (seat->broken) return;
    seat->broken = true;
    lobby_count(lobby, LOBBY_spoilt, 1);
    lobby_log(lobby, LOBBY_ERROR, "answer ring spoilt\nseat %u\nslot %u\nreason %s", number, seat->worker, why);
    tell_of(lobby, "spoilt", number);
    for (uint32_t slot = 0; slot < lobby->settings.slots; slot++) {
        struct lobby_request *request = &lobby->slots[slot];
        if (!request->serial || lobby_owner_of(lobby, request) != (int)number) continue;
        if (request->connection == LOBBY_NONE) continue;
        lobby_request_fail(lobby, request, 502, "the worker's answer is malformed");
    }
}

static bool may_repeat(const struct coppice_lobby *lobby, const struct lobby_request *request) {
    return lobby->settings.retry && request->idempotent && !request->retried && !request->answered;
}

/* The worker that asked for the client is gone. The next one that has the request may ask again. */
static void forget_handover(struct coppice_lobby *lobby, const struct lobby_request *request) {
    const struct lobby_connection *connection = &lobby->connections[request->connection];
    if (connection->output != LOBBY_NONE) lobby_output_of(lobby, connection)->handover = -1;
}

static void leave_request(struct coppice_lobby *lobby, struct lobby_request *request, bool retry, bool timed_out) {
    if (request->connection != LOBBY_NONE && retry && may_repeat(lobby, request)) {
        forget_handover(lobby, request);
        lobby_push_again(lobby, request);
        return;
    }
    if (request->connection != LOBBY_NONE) {
        if (timed_out)
            lobby_request_fail(lobby, request, 504, "the application took too long");
        else
            lobby_request_fail(lobby, request, 502, "the worker was lost");
    }
    lobby_slot_release(lobby, lobby_slot_of(lobby, request));
}

/* What it has published counts, however slowly its client reads: the ring goes away. */
static void read_rest(struct coppice_lobby *lobby, uint32_t number) {
    lobby_process.forced = true;
    lobby_read_ring(lobby, number);
    lobby_process.forced = false;
}

static void leave_requests(struct coppice_lobby *lobby, uint32_t number, bool retry, bool timed_out) {
    for (uint32_t slot = 0; slot < lobby->settings.slots; slot++) {
        struct lobby_request *request = &lobby->slots[slot];
        if (!request->serial || lobby_owner_of(lobby, request) != (int)number) continue;
        leave_request(lobby, request, retry, timed_out);
    }
}

static void close_seat(struct coppice_lobby *lobby, uint32_t number) {
    struct lobby_seat *seat = &lobby->seats[number];
    unlink_seat(lobby, number);
    seat->used = false;
    if (lobby->heir == number) lobby_heir_is(lobby, LOBBY_NONE);
    epoll_ctl(lobby->epoll_fd, EPOLL_CTL_DEL, seat->socket_fd, NULL);
    close_descriptors(seat);
    if (lobby_process.rings[number]) coppice_answer_ring_unmap(lobby_process.rings[number]);
    lobby_process.rings[number] = NULL;
}

void lobby_seat_gone(struct coppice_lobby *lobby, uint32_t number, bool retry, bool timed_out) {
    if (number >= COPPICE_LOBBY_SEATS) return;
    const struct lobby_seat *seat = &lobby->seats[number];
    if (seat->used) read_rest(lobby, number);
    leave_requests(lobby, number, retry && !(seat->used && seat->broken), timed_out);
    if (seat->used) close_seat(lobby, number);
    lobby_wake_again(lobby);
}

void lobby_seat_left(struct coppice_lobby *lobby, uint32_t number) {
    if (lobby->monitor_gone && !lobby->seats[number].reading) lobby_seat_gone(lobby, number, true, false);
}

/* What no worker is left for is answered by nobody. */
void lobby_seats_without_monitor(struct coppice_lobby *lobby) {
    for (uint32_t seat = 0; seat < COPPICE_LOBBY_SEATS; seat++) {
        if (!lobby->seats[seat].used) continue;
        if (lobby->seats[seat].lost)
            lobby_seat_gone(lobby, seat, true, false); /* nothing tells when its worker leaves */
        else
            lobby_seat_read(lobby, seat);
    }
    for (uint32_t slot = 0; slot < lobby->settings.slots && lobby->seat_first == LOBBY_NONE; slot++) {
        struct lobby_request *request = &lobby->slots[slot];
        if (!request->serial || request->connection == LOBBY_NONE) continue;
        lobby_count(lobby, LOBBY_shed_stopping, 1);
        lobby_request_fail(lobby, request, 503, "the server stops");
    }
}
