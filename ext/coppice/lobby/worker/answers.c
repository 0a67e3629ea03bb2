/*
 * What workers answer: the records of their rings. Bytes for a client go out from where they are in the ring, those of
 * several records in one call. Nothing that a worker wrote is trusted: it can spoil its own answer, and nothing else.
 */
#include <string.h>
#include <unistd.h>

#include "lobby/parts.h"

enum { PARTS = 32 };

/* Bytes of the ring that are not sent yet, all for one client. The seat's position moves on while that client's
 * connection is the one in hand: a successor of this loop must not send them twice. */
struct gathered {
    struct lobby_seat *seat;
    uint64_t end;  /* where the last record that was gathered ends */
    uint64_t next; /* where the record at hand ends */
    struct lobby_request *request;
    struct iovec parts[PARTS];
    int count;
};

enum step { NEXT, STALLED, SPOILT };

void lobby_seat_look(uint32_t seat) {
    lobby_process.ready[seat / 64] |= UINT64_C(1) << (seat % 64);
}

static struct lobby_connection *connection_of(const struct coppice_lobby *lobby, const struct lobby_request *request) {
    return request->connection == LOBBY_NONE ? NULL : &lobby->connections[request->connection];
}

/* The request that this seat may answer, or NULL. */
static struct lobby_request *request_of(const struct coppice_lobby *lobby, uint32_t seat, uint64_t serial) {
    struct lobby_request *request = lobby_request_of(lobby, serial);
    return request && lobby_owner_of(lobby, request) == (int)seat ? request : NULL;
}

static void send_gathered(struct coppice_lobby *lobby, struct gathered *gathered, bool more_follows) {
    struct lobby_connection *connection = gathered->count > 0 ? connection_of(lobby, gathered->request) : NULL;
    if (connection) {
        lobby->in_hand = lobby_index_of(lobby, connection);
        for (int i = 0; i < gathered->count; i++) gathered->request->sent += gathered->parts[i].iov_len;
        lobby_output_write(lobby, connection, gathered->parts, gathered->count, more_follows);
        gathered->seat->position = gathered->end;
        lobby->in_hand = LOBBY_NONE;
    }
    gathered->count = 0;
}

static enum step gather(struct coppice_lobby *lobby, struct gathered *gathered, struct lobby_request *request,
                        const char *payload, uint32_t length) {
    if (gathered->count == PARTS || (gathered->count > 0 && gathered->request != request)) {
        send_gathered(lobby, gathered, gathered->request == request);
    }
    const struct lobby_connection *connection = connection_of(lobby, request);
    if (!connection || length == 0) return NEXT;
    if (gathered->count == 0 && !lobby_output_has_room(lobby, connection)) return STALLED;
    gathered->request = request;
    gathered->end = gathered->next;
    gathered->parts[gathered->count++] = (struct iovec){.iov_base = (char *)(uintptr_t)payload, .iov_len = length};
    return NEXT;
}

static enum step take_head(struct coppice_lobby *lobby, struct gathered *gathered, struct lobby_request *request,
                           const struct coppice_record *record, const char *payload) {
    bool repeated = request->answered && request->sent > 0; /* else a dead loop has read it, and no more */
    if (repeated || record->status < 100 || record->status > 999) return SPOILT;
    enum step step = gather(lobby, gathered, request, payload, record->length);
    if (step != NEXT) return step;
    request->answered = true;
    request->status = record->status;
    if (lobby->access_log) request->started_us = lobby_seat_started_ms(lobby, request) * 1000;
    request->keep = record->flags & COPPICE_RECORD_KEEP;
    return NEXT;
}

/* The descriptor came on the socket before the record was published, or its packet came without it. */
static int take_file(struct coppice_lobby *lobby, uint32_t number, uint64_t serial, bool *lost) {
    struct lobby_seat *seat = &lobby->seats[number];
    if (seat->file < 0 && !seat->file_lost) lobby_seat_read(lobby, number);
    int file = seat->file;
    *lost = seat->file_lost && seat->file_serial == serial;
    seat->file = -1;
    seat->file_lost = false;
    if (file >= 0 && seat->file_serial == serial) return file;
    if (file >= 0) close(file);
    return -1;
}

static enum step send_file(struct coppice_lobby *lobby, struct gathered *gathered, uint32_t seat,
                           struct lobby_request *request, const struct coppice_record *record, const char *payload) {
    struct coppice_record_file place;
    if (!request->answered || record->length != sizeof(place)) return SPOILT;
    memcpy(&place, payload, sizeof(place));
    if (place.offset > INT64_MAX || place.length > INT64_MAX - place.offset) return SPOILT;
    send_gathered(lobby, gathered, true);
    struct lobby_connection *connection = connection_of(lobby, request);
    if (connection && connection->output != LOBBY_NONE && lobby_output_of(lobby, connection)->file >= 0) return STALLED;
    bool lost;
    int file = take_file(lobby, seat, record->serial, &lost);
    if (file < 0 && !lost) return SPOILT;
    connection = connection_of(lobby, request); /* the socket may have said that it is handed over */
    if (lost) {
        lobby_log(lobby, LOBBY_ERROR, "an answer was cut: no descriptor is left for its file");
        if (connection) lobby_request_fail(lobby, request, 502, "no descriptor was left");
    } else if (connection) {
        request->sent += place.length;
        lobby->in_hand = lobby_index_of(lobby, connection);
        lobby_output_file(lobby, connection, file, &place);
        gathered->seat->position = gathered->next;
        lobby->in_hand = LOBBY_NONE;
    } else {
        close(file);
    }
    lobby_seat_read(lobby, seat); /* it may have been left unread for this file */
    return NEXT;
}

/* For a client that is gone. */
static void drop_file(struct coppice_lobby *lobby, uint32_t seat, uint64_t serial) {
    bool lost;
    int file = take_file(lobby, seat, serial, &lost);
    if (file >= 0) close(file);
    lobby_seat_read(lobby, seat);
}

static enum lobby_end end_of(const struct coppice_lobby *lobby, const struct lobby_request *request, uint8_t flags) {
    const struct coppice_lobby_slot *slot = lobby_slot_at(lobby, lobby_slot_of(lobby, request));
    bool offered = slot->flags & COPPICE_LOBBY_KEEP;
    if (flags & COPPICE_RECORD_RESET) return LOBBY_END_RESET;
    if (!(flags & COPPICE_RECORD_WHOLE) || !request->answered) return LOBBY_END_CLOSE;
    return request->keep && offered ? LOBBY_END_KEEP : LOBBY_END_CLOSE;
}

/* For the access log alone: a worker that says something else can spoil only its own line. */
static void note_start(const struct coppice_lobby *lobby, struct lobby_request *request,
                       const struct coppice_record *record, const char *payload) {
    const struct coppice_lobby_slot *slot = lobby_slot_at(lobby, lobby_slot_of(lobby, request));
    int64_t started_us = 0;
    if (record->length == sizeof(started_us)) memcpy(&started_us, payload, sizeof(started_us));
    if (started_us >= slot->queued_us) request->started_us = started_us;
}

/* The worker is done with the slot. */
static void finish(struct coppice_lobby *lobby, struct gathered *gathered, uint32_t seat, struct lobby_request *request,
                   const struct coppice_record *record) {
    send_gathered(lobby, gathered, false);
    struct lobby_connection *connection = connection_of(lobby, request);
    enum lobby_end end = end_of(lobby, request, record->flags);
    if (request->answered) lobby_count(lobby, LOBBY_answered, 1);
    if (connection) lobby->in_hand = lobby_index_of(lobby, connection);
    lobby_log_access(lobby, connection, request, request->status, request->sent, connection ? NULL : "client gone");
    lobby_slot_release(lobby, lobby_slot_of(lobby, request));
    lobby_seat_rested(lobby, seat);
    if (connection) lobby_output_end(lobby, connection, end);
    gathered->seat->position = gathered->next;
    lobby->in_hand = LOBBY_NONE;
}

static enum step take_record(struct coppice_lobby *lobby, struct gathered *gathered, uint32_t seat,
                             const struct coppice_record *record, const char *payload) {
    if (record->type == COPPICE_RECORD_SKIP) return NEXT;
    struct lobby_request *request = request_of(lobby, seat, record->serial);
    if (!request) return NEXT; /* answered by the lobby itself, or handed over */
    if (request->connection == LOBBY_NONE && record->type != COPPICE_RECORD_END) {
        if (record->type == COPPICE_RECORD_FILE) drop_file(lobby, seat, record->serial);
        return NEXT;
    }
    switch ((enum coppice_record_type)record->type) {
    case COPPICE_RECORD_HEAD:
        return take_head(lobby, gathered, request, record, payload);
    case COPPICE_RECORD_DATA:
        return request->answered ? gather(lobby, gathered, request, payload, record->length) : SPOILT;
    case COPPICE_RECORD_HINTS:
        return request->answered ? SPOILT : gather(lobby, gathered, request, payload, record->length);
    case COPPICE_RECORD_FILE:
        return send_file(lobby, gathered, seat, request, record, payload);
    case COPPICE_RECORD_END:
        note_start(lobby, request, record, payload);
        finish(lobby, gathered, seat, request, record);
        return NEXT;
    case COPPICE_RECORD_SKIP:
        break;
    }
    return SPOILT;
}

/* The worker gets the room back only after its bytes were sent or copied: by this loop, or by one that died then. */
static void release(struct coppice_lobby *lobby, uint32_t number, struct coppice_ring_reader *reader) {
    lobby->seats[number].position = reader->position;
    if (atomic_load_explicit(&reader->ring->read, memory_order_relaxed) == reader->position) return;
    if (coppice_ring_reader_release(reader)) lobby_seat_wake(lobby, number);
}

/* No more than a ring's bytes in a row: a worker that writes as fast as they are read must not hold the others. */
void lobby_read_ring(struct coppice_lobby *lobby, uint32_t number) {
    struct lobby_seat *seat = &lobby->seats[number];
    struct coppice_ring_reader reader = {.ring = lobby_process.rings[number], .position = seat->position};
    uint64_t start = seat->position;
    struct gathered gathered = {.seat = seat, .count = 0};
    enum step step = NEXT;
    if (!seat->used || seat->broken || seat->reading || !reader.ring) return;
    bool was_stalled = seat->stalled;
    seat->reading = true;
    seat->stalled = false;
    while (reader.position - start < COPPICE_RING_BYTES) {
        struct coppice_record record;
        const char *payload;
        enum coppice_ring_result result = coppice_ring_reader_peek(&reader, &record, &payload);
        if (result == COPPICE_RING_EMPTY) break;
        struct coppice_ring_reader behind = reader;
        if (result == COPPICE_RING_RECORD) coppice_ring_reader_pass(&behind, &record);
        gathered.next = behind.position;
        step = result == COPPICE_RING_SPOILT ? SPOILT : take_record(lobby, &gathered, number, &record, payload);
        if (step != NEXT) break;
        reader = behind;
    }
    bool all = reader.position - start < COPPICE_RING_BYTES;
    send_gathered(lobby, &gathered, step == NEXT && !all);
    seat->reading = false;
    seat->stalled = step == STALLED;
    coppice_ring_reader_stall(&reader, seat->stalled);
    release(lobby, number, &reader);
    if (seat->stalled != was_stalled) lobby_wake_again(lobby); /* its worker takes no request now, or again */
    if (step == SPOILT) lobby_seat_break(lobby, number, "its records make no sense");
    if (!all || seat->asked) lobby_seat_look(number);
}

static void take_stalled(struct coppice_lobby *lobby) {
    if (!lobby_process.room_made) return;
    lobby_process.room_made = false;
    for (uint32_t seat = lobby->seat_first; seat != LOBBY_NONE; seat = lobby->seats[seat].next) {
        if (lobby->seats[seat].stalled) lobby_seat_look(seat);
    }
}

static void read_answers_of(struct coppice_lobby *lobby, uint32_t seat) {
    lobby_read_ring(lobby, seat);
    if (lobby->seats[seat].asked) lobby_seat_read(lobby, seat);
}

void lobby_read_answers(struct coppice_lobby *lobby) {
    take_stalled(lobby);
    for (uint32_t word = 0; word < COPPICE_LOBBY_SEATS / 64; word++) {
        uint64_t seats = coppice_request_queue_take_answered(lobby->queue, word) | lobby_process.ready[word];
        lobby_process.ready[word] = 0;
        for (; seats; seats &= seats - 1) read_answers_of(lobby, word * 64 + (uint32_t)__builtin_ctzll(seats));
    }
}
