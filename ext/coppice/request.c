/* Coppice::Http::Connection, the reading half: the request's head, then its body. */
#include <poll.h>
#include <string.h>

#include "connection.h"
#include "output.h"
#include "socket_io.h"

enum {
    READ_BYTES = 16 * 1024, /* room for one recv: most requests fit in whole */
    CHUNK_LINE_BYTES = 4 * 1024,
    CHUNK_EXTENSION_BYTES = 16 * 1024,
    TRAILER_BYTES = 16 * 1024,
    TRAILER_COUNT = 64,
    TRUSTED_BYTES = 1024 * 1024 /* of a body: beyond, memory is taken only as it comes */
};

static const char continue_response[] = "HTTP/1.1 100 Continue\r\n\r\n";

void coppice_request_reset(struct coppice_connection *connection) {
    connection->input.length = 0;
    connection->input_position = 0;
    connection->head_complete = false;
    connection->body = COPPICE_BODY_UNKNOWN;
    connection->body_remaining = 0;
    connection->dropped_headers = 0;
    connection->refusal = NULL;
    connection->continue_due = false;
    coppice_patience_begin(&connection->reading, connection->limits.header_timeout_ms);
    coppice_http_parser_init(&connection->parser, &connection->limits.head, connection->fields,
                             connection->limits.field_count);
}

/* At least one byte; TIMEOUT when the client tried our patience. */
static enum coppice_io_result receive(struct coppice_connection *connection, char *bytes, size_t capacity, size_t *received) {
    if (connection->reading.waiting) rb_raise(rb_eIOError, "another thread is reading from this client");
    for (;;) {
        enum coppice_io_result result = coppice_io_receive(connection->fd, bytes, capacity, received);
        if (result != COPPICE_IO_BLOCKED) return result;
        if (coppice_patience_wait(connection, POLLIN, &connection->reading) != COPPICE_WAIT_READY) return COPPICE_IO_TIMEOUT;
    }
}

/* Appends what the client sent. */
static enum coppice_io_result receive_input(struct coppice_connection *connection) {
    struct coppice_byte_buffer *input = &connection->input;
    coppice_byte_buffer_reserve(input, READ_BYTES);
    size_t received = 0;
    enum coppice_io_result result =
        receive(connection, input->data + input->length, input->capacity - input->length, &received);
    input->length += received;
    return result;
}

static VALUE refuse(struct coppice_connection *connection, int status, const char *reason) {
    connection->body = COPPICE_BODY_REFUSED;
    connection->refusal = reason;
    return INT2NUM(status);
}

static void begin_chunked(struct coppice_connection *connection) {
    struct coppice_chunked_limits limits = {
        .body_bytes = connection->limits.body_bytes,
        .line_bytes = CHUNK_LINE_BYTES,
        .extension_bytes = CHUNK_EXTENSION_BYTES,
        .trailer_bytes = TRAILER_BYTES,
        .trailer_count = TRAILER_COUNT,
    };
    connection->body = COPPICE_BODY_CHUNKED;
    coppice_chunked_init(&connection->chunked, &limits);
}

/* The head is good: what follows it? */
static VALUE begin_body(struct coppice_connection *connection) {
    const struct coppice_http_parser *parser = &connection->parser;
    connection->head_complete = true;
    connection->input_position = parser->position;
    coppice_patience_begin(&connection->reading, connection->limits.body_timeout_ms);
    connection->continue_due = parser->expects_continue; /* never for HTTP/1.0, nor without a body */
    if (parser->has_content_length && parser->content_length > connection->limits.body_bytes) {
        return refuse(connection, 413, "the body is larger than max_body_bytes");
    }
    if (parser->chunked) {
        begin_chunked(connection);
    } else if (parser->has_content_length && parser->content_length > 0) {
        connection->body = COPPICE_BODY_LENGTH;
        connection->body_remaining = parser->content_length;
    } else {
        connection->body = COPPICE_BODY_READ;
    }
    return Qtrue;
}

/* No byte at all is a connection opened in vain (a health check, a browser's spare one): nobody to answer. */
static VALUE head_not_sent(struct coppice_connection *connection, enum coppice_io_result result) {
    if (result == COPPICE_IO_TIMEOUT && connection->input.length > 0) {
        return refuse(connection, 408, "the head did not arrive within client_header_timeout");
    }
    connection->client_gone = true;
    return Qnil;
}

/*
 * read_head -> true when there is a request, nil when the client left without
 * one, or the Integer status to refuse it with; #refusal tells why.
 */
static VALUE connection_read_head(VALUE self) {
    struct coppice_connection *connection = coppice_connection_open(self);
    const struct coppice_byte_buffer *input = &connection->input;
    if (input->length == 0) { /* else it was adopted with bytes */
        enum coppice_io_result first = receive_input(connection);
        if (first != COPPICE_IO_DONE) return head_not_sent(connection, first);
    }
    for (;;) {
        switch (coppice_http_parse(&connection->parser, input->data, input->length)) {
        case COPPICE_HTTP_COMPLETE:
            return begin_body(connection);
        case COPPICE_HTTP_REFUSED:
            return refuse(connection, coppice_http_error_status(connection->parser.error),
                          coppice_http_error_reason(connection->parser.error));
        case COPPICE_HTTP_INCOMPLETE:
            break;
        }
        enum coppice_io_result result = receive_input(connection);
        if (result != COPPICE_IO_DONE) return head_not_sent(connection, result);
    }
}

static void check_received(struct coppice_connection *connection, enum coppice_io_result result, size_t received) {
    if (result == COPPICE_IO_CLOSED) coppice_raise_client_gone(connection, "its request's body is not complete");
    if (result == COPPICE_IO_TIMEOUT) {
        coppice_raise_refused(connection, 408, "the body stalled for client_body_timeout, or came slower than client_min_rate");
    }
    coppice_patience_earn(&connection->reading, received, connection->limits.min_rate);
}

/* A body of known length goes straight into the String, but for what came along with the head. */
static size_t read_length(struct coppice_connection *connection, VALUE into, size_t filled, size_t room) {
    size_t wanted = room < connection->body_remaining ? room : (size_t)connection->body_remaining;
    size_t at_hand = connection->input.length - connection->input_position;
    size_t received;
    if (at_hand > 0) {
        received = at_hand < wanted ? at_hand : wanted;
        memcpy(RSTRING_PTR(into) + filled, connection->input.data + connection->input_position, received);
        connection->input_position += received;
    } else {
        enum coppice_io_result result = receive(connection, RSTRING_PTR(into) + filled, wanted, &received);
        check_received(connection, result, received);
    }
    connection->body_remaining -= received;
    if (connection->body_remaining == 0) connection->body = COPPICE_BODY_READ;
    return received;
}

/* Behind the head there is always room for the next piece of a chunked body. */
static void refill_input(struct coppice_connection *connection) {
    connection->input.length = connection->input_position = connection->parser.position;
    enum coppice_io_result result = receive_input(connection);
    check_received(connection, result, connection->input.length - connection->input_position);
}

static size_t read_chunked(struct coppice_connection *connection, VALUE into, size_t filled, size_t room) {
    struct coppice_chunked *decoder = &connection->chunked;
    for (;;) {
        if (connection->input_position == connection->input.length) refill_input(connection);
        const char *input = connection->input.data + connection->input_position;
        size_t at_hand = connection->input.length - connection->input_position;
        size_t consumed = 0, offset = 0, length = 0;
        /* Never more input than room: then a run of body bytes always fits. */
        enum coppice_chunked_result result =
            coppice_chunked_decode(decoder, input, at_hand < room ? at_hand : room, &consumed, &offset, &length);
        connection->input_position += consumed;
        switch (result) {
        case COPPICE_CHUNKED_DATA:
            memcpy(RSTRING_PTR(into) + filled, input + offset, length);
            return length;
        case COPPICE_CHUNKED_END:
            connection->body = COPPICE_BODY_READ;
            return 0;
        case COPPICE_CHUNKED_REFUSED:
            coppice_raise_refused(connection, coppice_chunked_error_status(decoder->error),
                                  coppice_chunked_error_reason(decoder->error));
        case COPPICE_CHUNKED_MORE:
            break;
        }
    }
}

/* A client that said "Expect: 100-continue" waits for our word, unless it has begun already. */
static void send_continue(struct coppice_connection *connection) {
    if (!connection->continue_due) return;
    connection->continue_due = false;
    if (connection->input_position < connection->input.length || connection->response_started) return;
    if (!coppice_output_send_interim(connection, continue_response, sizeof(continue_response) - 1)) {
        coppice_raise_client_gone(connection, "100 Continue did not reach it");
    }
}

static bool body_left(const struct coppice_connection *connection) {
    return connection->body == COPPICE_BODY_LENGTH || connection->body == COPPICE_BODY_CHUNKED;
}

struct piece {
    struct coppice_connection *connection;
    VALUE into;
    size_t filled, room;
    size_t length;
};

static VALUE read_locked(VALUE pointer) {
    struct piece *piece = (struct piece *)pointer;
    piece->length = (piece->connection->body == COPPICE_BODY_LENGTH ? read_length : read_chunked)(
        piece->connection, piece->into, piece->filled, piece->room);
    return Qnil;
}

/* While we wait other threads run: they must leave the String's bytes where they are. */
static size_t read_piece(struct coppice_connection *connection, VALUE into, size_t filled, size_t room) {
    struct piece piece = {.connection = connection, .into = into, .filled = filled, .room = room};
    rb_str_locktmp(into);
    rb_ensure(read_locked, (VALUE)&piece, rb_str_unlocktmp, into);
    return piece.length;
}

static VALUE read_body(VALUE self, VALUE maximum, VALUE into, bool fill) {
    struct coppice_connection *connection = coppice_connection_open(self);
    size_t capacity = NUM2SIZET(maximum);
    if (!body_left(connection)) return Qnil;
    send_continue(connection);
    if (connection->body == COPPICE_BODY_LENGTH && capacity > connection->body_remaining) {
        capacity = (size_t)connection->body_remaining;
    }

    /* Room for what has come, not for what was promised. */
    size_t size = capacity < TRUSTED_BYTES ? capacity : TRUSTED_BYTES;
    if (NIL_P(into)) into = rb_str_buf_new((long)size);
    rb_str_modify(into);
    rb_str_resize(into, (long)size);
    size_t filled = 0;
    while (filled < capacity && body_left(connection) && (fill || filled == 0)) {
        if (filled == size) {
            size = capacity / 2 < size ? capacity : size * 2;
            rb_str_resize(into, (long)size);
        }
        filled += read_piece(connection, into, filled, size - filled);
    }
    rb_str_set_len(into, (long)filled);
    return filled == 0 ? Qnil : into;
}

/*
 * read_body(bytes, into = nil) -> String | nil: up to so many bytes of the decoded body, fewer only at its end; nil after it.
 * Raises Coppice::ClientGone and Coppice::RequestRefused (a stall, a malformed chunk, too large).
 */
static VALUE connection_read_body(int argc, VALUE *argv, VALUE self) {
    VALUE maximum, into;
    rb_scan_args(argc, argv, "11", &maximum, &into);
    return read_body(self, maximum, into, true);
}

/* read_body_partial(bytes, into = nil): the same, but does not wait for more once there is something. */
static VALUE connection_read_body_partial(int argc, VALUE *argv, VALUE self) {
    VALUE maximum, into;
    rb_scan_args(argc, argv, "11", &maximum, &into);
    return read_body(self, maximum, into, false);
}

/* send_continue: tells a client that waits for it to go on, unless it was told already or has begun. */
static VALUE connection_send_continue(VALUE self) {
    send_continue(coppice_connection_open(self));
    return Qnil;
}

/* body? -> whether there are body bytes to read. */
static VALUE connection_body_p(VALUE self) {
    return body_left(coppice_connection_get(self)) ? Qtrue : Qfalse;
}

/* content_length -> Integer, or nil when the client did not say. */
static VALUE connection_content_length(VALUE self) {
    const struct coppice_http_parser *parser = &coppice_connection_get(self)->parser;
    return parser->has_content_length ? ULL2NUM(parser->content_length) : Qnil;
}

/* refusal -> a sentence: why read_head answered a status. */
static VALUE connection_refusal(VALUE self) {
    const char *reason = coppice_connection_get(self)->refusal;
    return reason ? rb_utf8_str_new_cstr(reason) : Qnil;
}

void coppice_request_define(VALUE klass) {
    rb_define_method(klass, "read_head", connection_read_head, 0);
    rb_define_method(klass, "refusal", connection_refusal, 0);
    rb_define_method(klass, "send_continue", connection_send_continue, 0);
    rb_define_method(klass, "body?", connection_body_p, 0);
    rb_define_method(klass, "content_length", connection_content_length, 0);
    rb_define_method(klass, "read_body", connection_read_body, -1);
    rb_define_method(klass, "read_body_partial", connection_read_body_partial, -1);
}
