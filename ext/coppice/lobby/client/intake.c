/*
 * Bytes of a client become a request. The usual one is read straight into the slot that it will have, and parsed there:
 * no byte of it is copied. What is not complete waits in an intake block. No more than one request of a connection is
 * read ahead: what came behind it waits as well, and the kernel makes the client wait.
 */
#include <string.h>

#include "shared/socket_io.h"
#include "client.h"

enum { MOST_READS = 8 /* of one client in a row */ };

static bool has_body(const struct coppice_request_head *head) {
    return head->chunked || head->content_length > 0;
}

static bool body_too_large(const struct coppice_lobby *lobby, const struct coppice_request_head *head) {
    return head->has_content_length && head->content_length > lobby->settings.max_body_bytes;
}

static void refuse_head(const struct coppice_http_parser *parser) {
    lobby_wish_refusal(coppice_http_error_status(parser->error), coppice_http_error_reason(parser->error));
}

static void refuse_without_memory(const struct coppice_lobby *lobby) {
    lobby_count(lobby, LOBBY_shed_memory, 1);
    lobby_wish_refusal(503, "the server has no memory for slow requests left");
}

/* Bytes behind a request, for the next one. Without room for them there is no next one. */
static void keep_surplus(struct coppice_lobby *lobby, struct lobby_connection *connection, const char *bytes,
                         size_t length) {
    if (length == 0) return;
    struct lobby_intake *intake = lobby_intake_take(lobby, connection, length);
    if (!intake) {
        connection->flags |= LOBBY_NO_KEEP;
        return;
    }
    memcpy(lobby_intake_bytes(lobby, intake), bytes, length);
    intake->length = (uint32_t)length;
}

/* So that what it sends later is noticed. */
static bool watch(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    bool watched = connection->flags & LOBBY_REGISTERED || lobby_register(lobby, connection);
    if (!watched) lobby_wish(LOBBY_CLOSE);
    return watched;
}

/* From the slot to a block, as far as it came. */
static struct lobby_intake *set_aside(struct coppice_lobby *lobby, struct lobby_connection *connection,
                                      const struct coppice_http_parser *parser, const char *bytes, size_t length) {
    struct lobby_intake *intake = lobby_intake_take(lobby, connection, length);
    if (!intake) {
        refuse_without_memory(lobby);
        return NULL;
    }
    coppice_http_parser_move(&intake->parser, parser, &intake->head);
    memcpy(lobby_intake_bytes(lobby, intake), bytes, length);
    intake->length = (uint32_t)length;
    return watch(lobby, connection) ? intake : NULL;
}

static void push_unbuffered(struct lobby_connection *connection, uint32_t slot, const struct coppice_request_head *head,
                            size_t length) {
    connection->flags |= LOBBY_NO_KEEP;
    struct lobby_arrival arrival = {.slot = slot,
                                    .length = (uint32_t)length,
                                    .body_length = head->content_length,
                                    .flags = COPPICE_LOBBY_UNBUFFERED,
                                    .file = -1};
    lobby_wish_arrival(&arrival);
}

/* The head in the slot is complete. */
static void finish_in_slot(struct coppice_lobby *lobby, struct lobby_connection *connection, uint32_t slot,
                           const struct coppice_http_parser *parser, size_t length) {
    struct coppice_request_head *head = parser->head;
    struct coppice_lobby_slot *into = lobby_slot_at(lobby, slot);
    const char *bytes = lobby_slot_bytes(lobby, into);
    if (has_body(head)) connection->flags |= LOBBY_HAD_BODY;
    size_t at_hand = length - head->length;
    if (body_too_large(lobby, head)) {
        lobby_wish_arrived_refusal(into, 413, "the body is larger than max_body_bytes");
    } else if (!head->chunked && head->content_length <= at_hand) {
        size_t used = head->length + (size_t)head->content_length;
        head->expects_continue = false; /* it has not waited */
        keep_surplus(lobby, connection, bytes + used, length - used);
        struct lobby_arrival arrival = {
            .slot = slot, .length = (uint32_t)used, .body_length = head->content_length, .file = -1};
        lobby_wish_arrival(&arrival);
    } else if (!lobby->settings.request_buffering) {
        push_unbuffered(connection, slot, head, length);
    } else if (set_aside(lobby, connection, parser, bytes, length)) {
        lobby_body_begin(lobby, connection);
    }
}

/* A proxy sends its header when it connects. Until its client sends a byte this is a connection without a request, like
 * one that has sent nothing. The timer for the head goes on. */
static void await_first_byte(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    lobby_intake_release(lobby, connection);
    connection->arrived_us = 0;
    watch(lobby, connection);
}

/* With nothing to parse, because the head, or a PROXY header, has only begun, the parser begins later. */
static void parse_in_slot(struct coppice_lobby *lobby, struct lobby_connection *connection, uint32_t slot,
                          size_t length) {
    struct coppice_lobby_slot *into = lobby_slot_at(lobby, slot);
    char *bytes = lobby_slot_bytes(lobby, into);
    struct coppice_http_parser parser;
    coppice_http_parser_init(&parser, &lobby->settings.head, &into->head, lobby->settings.max_header_count);
    enum lobby_proxied proxied = lobby_take_proxy_header(lobby, connection, bytes, &length);
    if (proxied == LOBBY_PROXY_REFUSED) return;
    if (length == 0) {
        await_first_byte(lobby, connection);
        return;
    }
    switch (coppice_http_parse(&parser, bytes, proxied == LOBBY_PROXIED ? length : 0)) {
    case COPPICE_HTTP_COMPLETE:
        finish_in_slot(lobby, connection, slot, &parser, length);
        return;
    case COPPICE_HTTP_REFUSED:
        refuse_head(&parser);
        return;
    case COPPICE_HTTP_INCOMPLETE:
        set_aside(lobby, connection, &parser, bytes, length);
        return;
    }
}

/* The head in the block is complete, and not more than that was looked at. */
static void finish_in_block(struct coppice_lobby *lobby, struct lobby_connection *connection,
                            struct lobby_intake *intake) {
    intake->head_complete = true;
    if (has_body(&intake->head)) connection->flags |= LOBBY_HAD_BODY;
    if (body_too_large(lobby, &intake->head)) {
        lobby_wish_refusal(413, "the body is larger than max_body_bytes");
    } else if (lobby->settings.request_buffering || !has_body(&intake->head)) {
        lobby_body_begin(lobby, connection);
    } else {
        uint32_t slot = lobby_slot_next(lobby), length = intake->length;
        struct coppice_lobby_slot *into = lobby_slot_at(lobby, slot);
        memcpy(&into->head, &intake->head, coppice_request_head_size(intake->head.field_count));
        memcpy(lobby_slot_bytes(lobby, into), lobby_intake_bytes(lobby, intake), length);
        lobby_intake_release(lobby, connection);
        push_unbuffered(connection, slot, &into->head, length);
    }
}

static void parse_in_block(struct coppice_lobby *lobby, struct lobby_connection *connection,
                           struct lobby_intake *intake) {
    char *bytes = lobby_intake_bytes(lobby, intake);
    size_t length = intake->length;
    enum lobby_proxied proxied = lobby_take_proxy_header(lobby, connection, bytes, &length);
    if (proxied != LOBBY_PROXIED) return;
    if (length == 0) {
        await_first_byte(lobby, connection);
        return;
    }
    intake->length = (uint32_t)length;
    switch (coppice_http_parse(&intake->parser, bytes, length)) {
    case COPPICE_HTTP_COMPLETE:
        finish_in_block(lobby, connection, intake);
        return;
    case COPPICE_HTTP_REFUSED:
        refuse_head(&intake->parser);
        return;
    case COPPICE_HTTP_INCOMPLETE:
        return;
    }
}

static void begin_head(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    lobby_leave_idle(lobby, connection);
    connection->state = LOBBY_HEAD;
    connection->arrived_us = lobby_process.now_us;
    lobby_arm(lobby, connection, lobby_process.now_ms + lobby->settings.client_header_timeout_ms);
}

/* Answers what recv said; the caller goes on only with DONE. */
static enum coppice_io_result receive(struct coppice_lobby *lobby, struct lobby_connection *connection, char *bytes,
                                      size_t capacity, size_t *received) {
    enum coppice_io_result result = coppice_io_receive(connection->fd, bytes, capacity, received);
    if (result == COPPICE_IO_DONE) {
        lobby_count(lobby, LOBBY_bytes_in, (int64_t)*received);
        if (*received < capacity) connection->flags &= (uint16_t)~LOBBY_READABLE;
    } else if (result == COPPICE_IO_BLOCKED) {
        connection->flags &= (uint16_t)~LOBBY_READABLE;
        watch(lobby, connection);
    } else {
        lobby_wish(LOBBY_CLOSE);
    }
    return result;
}

static bool read_into_slot(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    uint32_t slot = lobby_slot_next(lobby);
    char *bytes = lobby_slot_bytes(lobby, lobby_slot_at(lobby, slot));
    size_t received;
    if (receive(lobby, connection, bytes, lobby->slot_capacity, &received) != COPPICE_IO_DONE) return false;
    begin_head(lobby, connection);
    parse_in_slot(lobby, connection, slot, received);
    return true;
}

static bool read_into_block(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    struct lobby_intake *intake = lobby_intake_of(lobby, connection);
    if (intake->length == intake->capacity) intake = lobby_intake_grow(lobby, connection, lobby->slot_capacity);
    if (!intake) {
        refuse_without_memory(lobby);
        return false;
    }
    char *bytes = lobby_intake_bytes(lobby, intake) + intake->length;
    size_t received;
    size_t room = intake->capacity - intake->length;
    if (receive(lobby, connection, bytes, room, &received) != COPPICE_IO_DONE) return false;
    intake->length += (uint32_t)received;
    parse_in_block(lobby, connection, intake);
    return true;
}

static bool read_once(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    switch ((enum lobby_state)connection->state) {
    case LOBBY_HEAD:
    case LOBBY_IDLE:
        return connection->intake == LOBBY_NONE ? read_into_slot(lobby, connection)
                                                : read_into_block(lobby, connection);
    case LOBBY_BODY:
        return !lobby_upload_enter(lobby, connection) && lobby_body_read(lobby, connection);
    case LOBBY_LINGERING:
        lobby_discard(lobby, connection);
        return false;
    default:
        return false; /* its turn comes after the answer */
    }
}

static bool wants_more(const struct lobby_connection *connection) {
    bool wanted = connection->state == LOBBY_HEAD || connection->state == LOBBY_BODY;
    bool there = connection->flags & (LOBBY_READABLE | LOBBY_HALF_CLOSED);
    return wanted && there && lobby_process.wish.kind == LOBBY_NO_WISH;
}

/* A client that sends faster than it is read must not hold the others: epoll is made to report it again. */
void lobby_read(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    for (int reads = 0; reads < MOST_READS; reads++) {
        if (!read_once(lobby, connection) || !wants_more(connection)) return;
    }
    if (!lobby_register(lobby, connection)) lobby_wish(LOBBY_CLOSE);
}

void lobby_read_buffered(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    begin_head(lobby, connection);
    if (!watch(lobby, connection)) return;
    parse_in_block(lobby, connection, lobby_intake_of(lobby, connection));
    if (wants_more(connection)) lobby_read(lobby, connection);
}
