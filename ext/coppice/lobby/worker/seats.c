/* The places of workers, with their rings and eventfds: from the monitor's word that there is one to the word that its
 * worker is gone. */
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "worker.h"

void lobby_seat_map(struct coppice_lobby *lobby, uint32_t number) {
    struct lobby_seat *seat = &lobby->seats[number];
    if (seat->lost) return;
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

bool lobby_seat_is_new(const struct coppice_lobby *lobby, uint32_t number, const struct lobby_seat *seat) {
    bool known = number < COPPICE_LOBBY_SEATS && lobby->seats[number].used;
    bool repeated = known && (seat->lost || lobby->seats[number].inode == seat->inode); /* after a takeover */
    bool new = number < COPPICE_LOBBY_SEATS && !repeated;
    if (!new) close_descriptors(seat);
    return new;
}

void lobby_seat_add(struct coppice_lobby *lobby, uint32_t number, const struct lobby_seat *seat) {
    if (lobby->seat_words <= number / 64) lobby->seat_words = number / 64 + 1;
    atomic_signal_fence(memory_order_seq_cst); /* a successor looks for answers of each seat that it knows */
    lobby->seats[number] = *seat;
    lobby_seat_link(lobby, number);
    lobby_seat_map(lobby, number);
    lobby_look_at_workers(lobby);
    if (!seat->lost) return;
    lobby_log(lobby, LOBBY_ERROR,
              "no descriptor is left for a worker: raise the limit (ulimit -Hn, LimitNOFILE=)\nseat %u\nslot %u",
              number, seat->worker);
    tell_of(lobby, "lost", number);
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
        lobby_request_condemn(request, 502, "the worker's answer is malformed", false);
    }
}

static bool may_repeat(const struct coppice_lobby *lobby, const struct lobby_request *request) {
    uint32_t waiting = coppice_request_queue_waiting(lobby->queue);
    return lobby->settings.retry_lost_requests && request->idempotent && !request->retried && !request->answered &&
           request->connection != LOBBY_NONE && lobby_queue_has_cell(lobby, waiting);
}

static void leave_request(struct coppice_lobby *lobby, struct lobby_request *request, bool retry, bool timed_out) {
    int64_t started_ms = lobby_seat_started_ms(lobby, request);
    if (started_ms > 0) lobby_request_took(lobby, request, (lobby_process.now_ms - started_ms) * 1000);
    if (retry && may_repeat(lobby, request))
        lobby_push_again(lobby, request);
    else if (timed_out)
        lobby_request_condemn(request, 504, "the application took too long", true);
    else
        lobby_request_condemn(request, 502, "the worker was lost", true);
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
    lobby_seat_unlink(lobby, number);
    seat->used = false;
    if (lobby->heir == number) lobby_heir_is(lobby, LOBBY_NONE);
    epoll_ctl(lobby->epoll_fd, EPOLL_CTL_DEL, seat->socket_fd, NULL);
    close_descriptors(seat);
    if (lobby_process.rings[number]) coppice_answer_ring_unmap(lobby_process.rings[number]);
    lobby_process.rings[number] = NULL;
}

void lobby_seat_gone(struct coppice_lobby *lobby, uint32_t number, bool retry, bool timed_out) {
    const struct lobby_seat *seat = &lobby->seats[number];
    leave_requests(lobby, number, retry && !(seat->used && seat->broken), timed_out);
    if (seat->used) close_seat(lobby, number);
    lobby_look_at_workers(lobby);
    lobby_wake_again(lobby);
}

void lobby_seats_without_workers(struct coppice_lobby *lobby) {
    for (uint32_t slot = 0; slot < lobby->settings.slots; slot++) {
        struct lobby_request *request = &lobby->slots[slot];
        if (!request->serial || request->connection == LOBBY_NONE) continue;
        lobby_count(lobby, LOBBY_shed_stopping, 1);
        lobby_request_condemn(request, 503, "the server stops", false);
    }
}
