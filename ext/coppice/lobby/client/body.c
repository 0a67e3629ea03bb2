/*
 * The body of a request, read to its end before a worker sees the request. What fits behind the head in a slot stays in
 * the intake block; the rest goes to a file piece by piece. Chunks are decoded in place: the body without them is never
 * longer than the bytes that it came in.
 */
#include <string.h>
#include <sys/socket.h>

#include "shared/socket_io.h"
#include "client.h"

enum {
    LEAST_ROOM = 4 * 1024, /* with less than that the body goes to the file */
    LEAST_USE = 256        /* with less than that behind the head it is not worth the calls */
};

static const char stalled[] = "the body stalled for client_body_timeout, or came slower than client_min_rate";

/* One that fits into a slot is never in a file. */
static bool exceeds_disk_limit(const struct coppice_lobby *lobby, const struct coppice_request_head *head) {
    if (!head->has_content_length || head->content_length <= lobby->slot_capacity - head->length) return false;
    return head->content_length > lobby->settings.buffer_disk_limit;
}

static uint32_t body_end(const struct lobby_intake *intake) {
    return intake->head.length + intake->body_length;
}

static bool take_length(struct lobby_intake *intake) {
    uint32_t raw = intake->length - body_end(intake);
    uint32_t taken = raw < intake->body_remaining ? raw : (uint32_t)intake->body_remaining;
    intake->body_length += taken;
    intake->body_remaining -= taken;
    intake->body_complete = intake->body_remaining == 0;
    return true;
}

/* Moves the data together; what follows the last chunk moves to their end. False when it is malformed. */
static bool take_chunks(const struct coppice_lobby *lobby, struct lobby_intake *intake) {
    char *bytes = lobby_intake_bytes(lobby, intake);
    uint32_t at = body_end(intake);
    for (;;) {
        size_t consumed = 0, offset = 0, length = 0;
        enum coppice_chunked_result result =
            coppice_chunked_decode(&intake->chunked, bytes + at, intake->length - at, &consumed, &offset, &length);
        if (result == COPPICE_CHUNKED_DATA) {
            memmove(bytes + body_end(intake), bytes + at + offset, length);
            intake->body_length += (uint32_t)length;
        }
        at += (uint32_t)consumed;
        if (result == COPPICE_CHUNKED_REFUSED) return false;
        if (result == COPPICE_CHUNKED_DATA) continue;
        intake->body_complete = result == COPPICE_CHUNKED_END;
        memmove(bytes + body_end(intake), bytes + at, intake->length - at);
        intake->length = body_end(intake) + intake->length - at;
        return true;
    }
}

/* Writes the body that is in the block to the file. Bytes behind it move to the head's end. */
static bool move_to_file(struct coppice_lobby *lobby, struct lobby_intake *intake) {
    char *bytes = lobby_intake_bytes(lobby, intake);
    if (intake->file < 0) intake->file = lobby_file_create(lobby);
    if (intake->file < 0) return false;
    if (!lobby_file_append(lobby, intake->file, bytes + intake->head.length, intake->body_length)) return false;
    intake->file_length += intake->body_length;
    memmove(bytes + intake->head.length, bytes + body_end(intake), intake->length - body_end(intake));
    intake->length -= intake->body_length;
    intake->body_length = 0;
    return true;
}

/* The request is whole: its bytes move to a slot, and those of the next one to the front of the block. */
static void finish(struct coppice_lobby *lobby, struct lobby_connection *connection, struct lobby_intake *intake) {
    uint32_t slot = lobby_slot_next(lobby), used = body_end(intake);
    struct coppice_lobby_slot *into = lobby_slot_at(lobby, slot);
    memcpy(&into->head, &intake->head, coppice_request_head_size(intake->head.field_count));
    memcpy(lobby_slot_bytes(lobby, into), lobby_intake_bytes(lobby, intake), used);
    struct lobby_arrival arrival = {
        .slot = slot,
        .length = used,
        .body_length = intake->file >= 0 ? intake->file_length : intake->body_length,
        .flags = intake->file >= 0 ? COPPICE_LOBBY_BODY_FILE : 0,
        .file = intake->file,
        .file_bytes = intake->file_length,
    };
    intake->file = -1;
    if (intake->length > used)
        lobby_intake_restart(lobby, intake, used);
    else
        lobby_intake_release(lobby, connection);
    lobby_wish_arrival(&arrival);
}

static void refuse_unkept(void) {
    lobby_wish_refusal(507, "the body cannot be kept");
}

/* Room for more: in a larger block as long as the request may fit into a slot, else by moving the body to a file. */
static bool make_room(struct coppice_lobby *lobby, struct lobby_connection *connection, struct lobby_intake *intake) {
    if (intake->file < 0 && intake->capacity < lobby->slot_capacity) {
        if (lobby_intake_grow(lobby, connection, lobby->slot_capacity)) return true;
    }
    return move_to_file(lobby, intake) && intake->capacity - intake->length >= LEAST_USE;
}

static bool crowded(const struct lobby_intake *intake) {
    uint32_t room = intake->capacity - intake->length;
    return room < LEAST_ROOM && (intake->head.chunked || intake->body_remaining > room);
}

/* Goes over the bytes at hand. */
static void take(struct coppice_lobby *lobby, struct lobby_connection *connection, struct lobby_intake *intake) {
    if (!(intake->head.chunked ? take_chunks(lobby, intake) : take_length(intake))) {
        enum coppice_chunked_error error = intake->chunked.error;
        lobby_wish_refusal(coppice_chunked_error_status(error), coppice_chunked_error_reason(error));
        return;
    }
    if (intake->body_complete && intake->file >= 0 && !move_to_file(lobby, intake)) {
        refuse_unkept();
    } else if (intake->body_complete) {
        finish(lobby, connection, intake);
    } else if (crowded(intake) && !make_room(lobby, connection, intake)) {
        refuse_unkept();
    }
}

static void await(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    struct lobby_intake *intake = lobby_intake_of(lobby, connection);
    intake->waits_since_ms = lobby_process.now_ms;
    lobby_arm(lobby, connection, lobby_process.now_ms + coppice_wait_budget_slice_ms(&intake->budget));
}

/* A client that waits for it gets it now; one that has begun to send does not wait. No worker has to do this any more.
 * */
static void send_continue(const struct lobby_connection *connection, struct lobby_intake *intake) {
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    bool expected = intake->head.expects_continue;
    intake->head.expects_continue = false;
    if (!expected || intake->length > intake->head.length) return;
    (void)send(connection->fd, text, sizeof(text) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void lobby_body_begin(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    struct lobby_intake *intake = lobby_intake_of(lobby, connection);
    connection->state = LOBBY_BODY;
    intake->head_complete = true;
    if (exceeds_disk_limit(lobby, &intake->head)) { /* said before the client sends it all */
        lobby_wish_refusal(507, "the body is larger than buffer_disk_limit");
        return;
    }
    intake->body_remaining = intake->head.content_length;
    if (intake->head.chunked) coppice_chunked_init_request(&intake->chunked, lobby->settings.max_body_bytes);
    coppice_wait_budget_reset(&intake->budget, lobby->settings.client_body_timeout_ms);
    /* With no large block left it goes to a file sooner. */
    if (intake->body_remaining > intake->capacity - intake->head.length) {
        struct lobby_intake *large = lobby_intake_grow(lobby, connection, lobby->slot_capacity);
        if (large) intake = large;
    }
    send_continue(connection, intake);
    take(lobby, connection, intake);
    if (lobby_process.wish.kind == LOBBY_NO_WISH) await(lobby, connection);
}

bool lobby_body_read(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    struct lobby_intake *intake = lobby_intake_of(lobby, connection);
    size_t received, room = intake->capacity - intake->length;
    char *bytes = lobby_intake_bytes(lobby, intake) + intake->length;
    enum coppice_io_result result = coppice_io_receive(connection->fd, bytes, room, &received);
    if (result == COPPICE_IO_CLOSED) {
        lobby_wish_gone(lobby, connection);
        return false;
    }
    if (result == COPPICE_IO_BLOCKED || received < room) connection->flags &= (uint16_t)~LOBBY_READABLE;
    if (result == COPPICE_IO_BLOCKED) return false;
    lobby_count(lobby, LOBBY_bytes_in, (int64_t)received);
    intake->length += (uint32_t)received;
    coppice_wait_budget_spend(&intake->budget, lobby_process.now_ms - intake->waits_since_ms);
    coppice_wait_budget_earn(&intake->budget, received, lobby->settings.client_min_rate);
    coppice_wait_budget_begin(&intake->budget);
    take(lobby, connection, intake);
    if (lobby_process.wish.kind == LOBBY_NO_WISH) await(lobby, connection);
    return true;
}

void lobby_body_waited(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    struct lobby_intake *intake = lobby_intake_of(lobby, connection);
    coppice_wait_budget_spend(&intake->budget, lobby_process.now_ms - intake->waits_since_ms);
    if (coppice_wait_budget_slice_ms(&intake->budget) == 0)
        lobby_wish_refusal(408, stalled);
    else
        await(lobby, connection);
}
