/*
 * What workers answer: the records of their rings, put together to deliveries. Bytes for a client go out from where they
 * are in the ring, those of several records in one call. Nothing that a worker wrote is trusted: it can spoil its own
 * answer, and nothing else.
 */
#include <string.h>
#include <unistd.h>

#include "worker.h"

enum step { PASSED, DELIVERED, STALLED, SPOILT };

static const struct lobby_connection *connection_of(const struct coppice_lobby *lobby,
                                                    const struct lobby_request *request) {
    return request->connection == LOBBY_NONE ? NULL : &lobby->connections[request->connection];
}

static void note_head(const struct coppice_lobby *lobby, struct lobby_request *request,
                      const struct coppice_record *record) {
    request->answered = true;
    request->status = record->status;
    if (lobby->access_log) request->started_us = lobby_seat_started_ms(lobby, request) * 1000;
    request->keep = record->flags & COPPICE_RECORD_KEEP;
}

/* A HEAD that comes again was read by a loop that died, and no more. */
static bool makes_sense(const struct lobby_request *request, const struct coppice_record *record) {
    if (record->type != COPPICE_RECORD_HEAD) return request->answered == (record->type == COPPICE_RECORD_DATA);
    return !(request->answered && request->sent > 0) && record->status >= 100 && record->status <= 999;
}

/* Bytes of a HEAD, of DATA or of HINTS go with those before them, if they are for the same client. */
static enum step take_bytes(const struct coppice_lobby *lobby, struct lobby_delivery *delivery,
                            struct lobby_request *request, const struct coppice_record *record, const char *payload) {
    const struct lobby_connection *connection = connection_of(lobby, request);
    bool other = delivery->count > 0 && delivery->request != request;
    if (other || delivery->count == LOBBY_DELIVERY_PARTS) {
        delivery->more_follows = !other;
        return DELIVERED;
    }
    if (!makes_sense(request, record)) return SPOILT;
    if (record->length > 0) {
        if (delivery->count == 0 && !lobby_output_has_room(lobby, connection)) return STALLED;
        delivery->request = request;
        delivery->parts[delivery->count++] =
            (struct iovec){.iov_base = (char *)(uintptr_t)payload, .iov_len = record->length};
    }
    if (record->type == COPPICE_RECORD_HEAD) note_head(lobby, request, record);
    return PASSED;
}

/* The descriptor came on the socket before the record was published, or its packet came without it. */
static int take_file(struct coppice_lobby *lobby, uint32_t number, uint64_t serial, bool *lost) {
    struct lobby_seat *seat = &lobby->seats[number];
    if (seat->file < 0 && !seat->file_lost) lobby_seat_read(lobby, number);
    bool same = seat->file_serial == serial;
    int file = seat->file;
    *lost = seat->file_lost && same;
    seat->file = -1;
    seat->file_lost = false;
    lobby_seat_read(lobby, number); /* it may have been left unread for this file */
    if (file >= 0 && same) return file;
    if (file >= 0) close(file);
    return -1;
}

/* For a client that is gone. */
static void drop_file(struct coppice_lobby *lobby, uint32_t seat, uint64_t serial) {
    bool lost;
    int file = take_file(lobby, seat, serial, &lost);
    if (file >= 0) close(file);
}

static enum step deliver_file(struct coppice_lobby *lobby, uint32_t seat, struct lobby_delivery *delivery,
                              struct lobby_request *request, const struct coppice_record *record,
                              const char *payload) {
    struct coppice_record_file place;
    const struct lobby_connection *connection = connection_of(lobby, request);
    if (!request->answered || record->length != sizeof(place)) return SPOILT;
    memcpy(&place, payload, sizeof(place));
    if (place.offset > INT64_MAX || place.length > INT64_MAX - place.offset) return SPOILT;
    if (connection->output != LOBBY_NONE && lobby_output_of(lobby, connection)->file >= 0) return STALLED;
    bool lost;
    int file = take_file(lobby, seat, record->serial, &lost);
    if (file < 0 && !lost) return SPOILT;
    delivery->kind = LOBBY_FILE;
    delivery->request = request;
    delivery->file = file;
    delivery->place = place;
    return DELIVERED;
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

/* With the bytes before it, if they are for the same client. */
static enum step deliver_end(const struct coppice_lobby *lobby, struct lobby_delivery *delivery,
                             struct lobby_request *request, const struct coppice_record *record,
                             const char *payload) {
    if (delivery->count > 0 && delivery->request != request) return DELIVERED;
    note_start(lobby, request, record, payload);
    delivery->kind = LOBBY_END;
    delivery->request = request;
    delivery->end = end_of(lobby, request, record->flags);
    return DELIVERED;
}

static enum step take_record(struct coppice_lobby *lobby, uint32_t seat, struct lobby_delivery *delivery,
                             const struct coppice_record *record, const char *payload) {
    if (record->type == COPPICE_RECORD_SKIP) return PASSED;
    struct lobby_request *request = lobby_request_of_seat(lobby, seat, record->serial);
    if (!request) return PASSED; /* answered by the lobby itself, or handed over */
    if (request->connection == LOBBY_NONE && record->type != COPPICE_RECORD_END) {
        if (record->type == COPPICE_RECORD_FILE) drop_file(lobby, seat, record->serial);
        return PASSED;
    }
    switch ((enum coppice_record_type)record->type) {
    case COPPICE_RECORD_HEAD:
    case COPPICE_RECORD_DATA:
    case COPPICE_RECORD_HINTS:
        return take_bytes(lobby, delivery, request, record, payload);
    case COPPICE_RECORD_FILE:
        delivery->more_follows = true;
        return delivery->count > 0 ? DELIVERED : deliver_file(lobby, seat, delivery, request, record, payload);
    case COPPICE_RECORD_END:
        return deliver_end(lobby, delivery, request, record, payload);
    case COPPICE_RECORD_SKIP:
        break;
    }
    return SPOILT;
}

bool lobby_ring_begin(struct coppice_lobby *lobby, uint32_t number, struct lobby_ring_reading *reading) {
    struct lobby_seat *seat = &lobby->seats[number];
    struct coppice_answer_ring *ring = lobby_process.rings[number];
    if (!seat->used || seat->broken || !ring) return false;
    *reading = (struct lobby_ring_reading){.seat = number,
                                           .start = seat->position,
                                           .was_stalled = seat->stalled,
                                           .reader = {.ring = ring, .position = seat->position}};
    seat->stalled = false;
    return true;
}

static bool delivers(const struct lobby_ring_reading *reading, struct lobby_delivery *delivery) {
    delivery->position = reading->reader.position;
    return delivery->kind != LOBBY_BYTES || delivery->count > 0;
}

/* No more than a ring's bytes in a row: a worker that writes as fast as they are read must not hold the others. What
 * stops it is met again by the next call, once the bytes before it are delivered. */
bool lobby_ring_next(struct coppice_lobby *lobby, struct lobby_ring_reading *reading, struct lobby_delivery *delivery) {
    delivery->kind = LOBBY_BYTES;
    delivery->more_follows = false;
    delivery->count = 0;
    reading->stop = LOBBY_RING_READ;
    while (reading->reader.position - reading->start < COPPICE_RING_BYTES) {
        struct coppice_record record;
        const char *payload;
        enum coppice_ring_result result = coppice_ring_reader_peek(&reading->reader, &record, &payload);
        if (result == COPPICE_RING_EMPTY) return delivers(reading, delivery);
        enum step step = SPOILT;
        if (result == COPPICE_RING_RECORD) step = take_record(lobby, reading->seat, delivery, &record, payload);
        bool taken = step == PASSED || (step == DELIVERED && delivery->kind != LOBBY_BYTES);
        if (taken) coppice_ring_reader_pass(&reading->reader, &record);
        if (step == PASSED) continue;
        if (step != DELIVERED) reading->stop = step == STALLED ? LOBBY_RING_STALLED : LOBBY_RING_SPOILT;
        return delivers(reading, delivery);
    }
    reading->stop = LOBBY_RING_TURN_OVER;
    delivery->more_follows = true;
    return delivers(reading, delivery);
}

/* The worker gets the room back only after its bytes were sent or copied: by this loop, or by one that died then. */
static void release(struct coppice_lobby *lobby, const struct lobby_ring_reading *reading) {
    struct coppice_ring_reader reader = reading->reader;
    lobby->seats[reading->seat].position = reader.position;
    if (atomic_load_explicit(&reader.ring->read, memory_order_relaxed) == reader.position) return;
    if (coppice_ring_reader_release(&reader)) lobby_seat_wake(lobby, reading->seat);
}

void lobby_ring_end(struct coppice_lobby *lobby, struct lobby_ring_reading *reading) {
    struct lobby_seat *seat = &lobby->seats[reading->seat];
    seat->stalled = reading->stop == LOBBY_RING_STALLED;
    coppice_ring_reader_stall(&reading->reader, seat->stalled);
    release(lobby, reading);
    if (seat->stalled != reading->was_stalled) lobby_wake_again(lobby); /* it takes no request now, or again */
    if (reading->stop == LOBBY_RING_SPOILT) lobby_seat_break(lobby, reading->seat, "its records make no sense");
    if (reading->stop == LOBBY_RING_TURN_OVER) lobby_seat_look(reading->seat);
}

void lobby_look_at_stalled(const struct coppice_lobby *lobby) {
    if (!lobby_process.room_made) return;
    lobby_process.room_made = false;
    for (uint32_t seat = lobby->seat_first; seat != LOBBY_NONE; seat = lobby->seats[seat].next) {
        if (lobby->seats[seat].stalled) lobby_seat_look(seat);
    }
}
