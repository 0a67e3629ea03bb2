/* Coppice::Http::Connection, reading the request's body: of a known length, or chunked. */
#include <string.h>

#include "coppice_ext.h"
#include "output.h"
#include "request.h"

enum { TRUSTED_BYTES = 1024 * 1024 /* beyond these, memory for a body is taken only as the bytes come */ };

static const char continue_response[] = "HTTP/1.1 100 Continue\r\n\r\n";

static void check_received(struct coppice_connection *connection, enum coppice_io_result result, size_t received) {
    if (result == COPPICE_IO_CLOSED) coppice_raise_client_gone(connection, "its request's body is not complete");
    if (result == COPPICE_IO_TIMEOUT) {
        coppice_raise_refused(connection, 408,
                              "the body stalled for client_body_timeout, or came slower than client_min_rate");
    }
    coppice_wait_budget_earn(&connection->read_budget, received, connection->limits.client_min_rate);
}

/* A body of known length goes straight into the String, except what came along with the head. */
static size_t read_length(struct coppice_connection *connection, VALUE into, size_t filled, size_t room) {
    size_t wanted = room < connection->body_remaining ? room : (size_t)connection->body_remaining;
    size_t at_hand = connection->input.length - connection->input_position;
    size_t received = 0;
    if (at_hand > 0) {
        received = at_hand < wanted ? at_hand : wanted;
        memcpy(RSTRING_PTR(into) + filled, connection->input.data + connection->input_position, received);
        connection->input_position += received;
    } else {
        char *bytes = RSTRING_PTR(into) + filled;
        enum coppice_io_result result = coppice_request_receive(connection, bytes, wanted, &received);
        check_received(connection, result, received);
    }
    connection->body_remaining -= received;
    if (connection->body_remaining == 0) connection->body = COPPICE_BODY_READ;
    return received;
}

/* Behind the head there is always room for the next piece of a chunked body. */
static void refill_input(struct coppice_connection *connection) {
    connection->input.length = connection->input_position = connection->head->length;
    enum coppice_io_result result = coppice_request_receive_input(connection);
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

/* A client that sent "Expect: 100-continue" waits for this answer, unless it has begun to send the body already. */
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

/* During a wait other threads run: they must leave the String's bytes where they are. */
static size_t read_piece(struct coppice_connection *connection, VALUE into, size_t filled, size_t room) {
    struct piece piece = {.connection = connection, .into = into, .filled = filled, .room = room};
    rb_str_locktmp(into);
    rb_ensure(read_locked, (VALUE)&piece, rb_str_unlocktmp, into);
    return piece.length;
}

static VALUE read_body(int argc, VALUE *argv, VALUE self, bool fill) {
    VALUE maximum, into;
    rb_scan_args(argc, argv, "11", &maximum, &into);
    struct coppice_connection *connection = coppice_connection_open(self);
    size_t capacity = NUM2SIZET(maximum);
    if (!body_left(connection)) return Qnil;
    send_continue(connection);
    if (connection->body == COPPICE_BODY_LENGTH && connection->body_remaining == 0) { /* chunks without a byte */
        connection->body = COPPICE_BODY_READ;
        return Qnil;
    }
    if (connection->body == COPPICE_BODY_LENGTH && capacity > connection->body_remaining) {
        capacity = (size_t)connection->body_remaining;
    }

    /* Room for what has come, not for all that content-length announces. */
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
 * read_body(bytes, into = nil) -> String | nil: up to so many bytes of the decoded body, fewer only at its end; nil
 * after it. Raises Coppice::ClientGone and Coppice::RequestRefused (a stall, a malformed chunk, too large).
 */
static VALUE connection_read_body(int argc, VALUE *argv, VALUE self) {
    return read_body(argc, argv, self, true);
}

/* read_body_partial(bytes, into = nil): the same, but does not wait for more once there is something. */
static VALUE connection_read_body_partial(int argc, VALUE *argv, VALUE self) {
    return read_body(argc, argv, self, false);
}

/* send_continue: tells a client that waits for it to go on, unless it was told already or has begun. */
static VALUE connection_send_continue(VALUE self) {
    send_continue(coppice_connection_open(self));
    return Qnil;
}

/* body? -> whether there is a body, or more of it, to read. */
static VALUE connection_body_p(VALUE self) {
    const struct coppice_connection *connection = coppice_connection_get(self);
    return body_left(connection) || connection->body == COPPICE_BODY_FILE ? Qtrue : Qfalse;
}

/* body_file -> the descriptor of a file with the whole body, at its start, for the caller to close; nil when read_body
 * is to be called. Raises Coppice::ClientGone. */
static VALUE connection_body_file(VALUE self) {
    struct coppice_connection *connection = coppice_connection_open(self);
    return connection->body == COPPICE_BODY_FILE ? INT2NUM(coppice_lobby_body_file(connection)) : Qnil;
}

void Init_coppice_request_body(VALUE coppice) {
    VALUE klass = coppice_connection_class(coppice);
    rb_define_method(klass, "send_continue", connection_send_continue, 0);
    rb_define_method(klass, "body?", connection_body_p, 0);
    rb_define_method(klass, "body_file", connection_body_file, 0);
    rb_define_method(klass, "read_body", connection_read_body, -1);
    rb_define_method(klass, "read_body_partial", connection_read_body_partial, -1);
}
