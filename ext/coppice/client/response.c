/*
 * Coppice::Http::Connection, writing the response. A response is started, written and finished; small pieces are
 * gathered and sent with one system call.
 */
#include <stdio.h>
#include <unistd.h>

#include "coppice_ext.h"
#include "output.h"
#include "response_fields.h"
#include "shared/socket_io.h"
#include "shared/status_line.h"

enum {
    GATHER_BYTES = 32 * 1024, /* up to here copying is cheaper than another system call */
    FILE_PIECE_BYTES = 64 * 1024
};

void coppice_response_reset(struct coppice_connection *connection) {
    connection->output.length = 0;
    connection->framing = (struct coppice_framing){.kind = COPPICE_FRAMING_NONE};
    connection->head_made = false;
    connection->response_started = connection->finished = connection->sending = false;
    coppice_wait_budget_reset(&connection->write_budget, connection->limits.client_write_timeout_ms);
}

static struct coppice_connection *writable_connection(VALUE self) {
    struct coppice_connection *connection = coppice_connection_open(self);
    if (connection->client_gone) coppice_raise_client_gone(connection, "an earlier write failed");
    if (connection->sending) {
        rb_raise(rb_eIOError, "another thread is writing to this client, or was interrupted while it was");
    }
    coppice_connection_check_own(connection);
    return connection;
}

static void start(struct coppice_connection *connection, VALUE status, VALUE headers, int64_t body_length) {
    struct coppice_response_request request = {
        .head = coppice_connection_method_is(connection, "HEAD"),
        .connect = coppice_connection_method_is(connection, "CONNECT"),
        .http10 = connection->head_complete && connection->head->minor_version == 0,
        .joined_lines = connection->rack2,
        .keep = connection->transport->keeps(connection),
    };
    if (connection->response_started) rb_raise(rb_eIOError, "the response has begun already");
    connection->output.length = 0;
    connection->framing = coppice_response_head(&connection->output, status, headers, body_length, &request);
    connection->head_made = true;
}

/* How much of a piece belongs to the response; the rest is beyond its content-length. */
static size_t within_length(struct coppice_framing *framing, size_t length) {
    if (framing->kind == COPPICE_FRAMING_NONE) return 0;
    if (framing->kind != COPPICE_FRAMING_LENGTH) return length;
    size_t usable = length < framing->remaining ? length : (size_t)framing->remaining;
    framing->remaining -= usable;
    framing->surplus += length - usable;
    return usable;
}

/* Adds a piece of the body: gathered if small, else sent with all before it. */
static void add_body(struct coppice_connection *connection, VALUE piece) {
    struct coppice_byte_buffer *output = &connection->output;
    size_t length = within_length(&connection->framing, (size_t)RSTRING_LEN(piece));
    if (length == 0) return;
    bool chunked = connection->framing.kind == COPPICE_FRAMING_CHUNKED;
    if (chunked) {
        char size[24];
        int count = snprintf(size, sizeof(size), "%zx\r\n", length);
        coppice_byte_buffer_append(output, size, (size_t)count);
    }
    if (output->length + length <= GATHER_BYTES) {
        coppice_byte_buffer_append(output, RSTRING_PTR(piece), length);
        if (chunked) coppice_byte_buffer_append(output, "\r\n", 2);
    } else {
        coppice_output_send(connection, piece, length, chunked ? "\r\n" : NULL);
    }
    RB_GC_GUARD(piece); /* growing the buffer may collect garbage, and its bytes are copied after that */
}

/* How many bytes the body is short of its content-length; negative when it was too long, and cut. */
static VALUE length_difference(const struct coppice_connection *connection) {
    if (connection->framing.surplus > 0) return LL2NUM(-(int64_t)connection->framing.surplus);
    return ULL2NUM(connection->framing.remaining);
}

static VALUE check_piece(VALUE piece) {
    if (!RB_TYPE_P(piece, T_STRING)) {
        coppice_raise_response_error("the body has a piece of class %" PRIsVALUE ", not a String", rb_obj_class(piece));
    }
    return piece;
}

static void finish(struct coppice_connection *connection) {
    connection->transport->finish(connection, connection->framing.remaining == 0);
    connection->finished = true;
}

/* respond(status, headers, pieces) -> Integer: a whole response, its body an Array of Strings. Answers what
 * finish_response does. */
static VALUE connection_respond(VALUE self, VALUE status, VALUE headers, VALUE pieces) {
    struct coppice_connection *connection = writable_connection(self);
    int64_t total = 0;
    Check_Type(pieces, T_ARRAY);
    for (long i = 0; i < RARRAY_LEN(pieces); i++) total += RSTRING_LEN(check_piece(RARRAY_AREF(pieces, i)));
    start(connection, status, headers, total);
    for (long i = 0; i < RARRAY_LEN(pieces); i++) add_body(connection, check_piece(RARRAY_AREF(pieces, i)));
    finish(connection);
    return length_difference(connection);
}

/*
 * start_response(status, headers, length = nil) -> whether a body is to be written. The head leaves with the first
 * piece. length: that of the body if it is known, else nil; false when the body will be written on the detached
 * socket. Raises Coppice::ResponseError, and nothing of the response is sent then.
 */
static VALUE connection_start_response(int argc, VALUE *argv, VALUE self) {
    VALUE status, headers, length;
    rb_scan_args(argc, argv, "21", &status, &headers, &length);
    struct coppice_connection *connection = writable_connection(self);
    int64_t body_length = COPPICE_LENGTH_UNKNOWN;
    if (length == Qfalse) body_length = COPPICE_LENGTH_NOT_OURS;
    if (RTEST(length)) body_length = NUM2LL(length);
    start(connection, status, headers, body_length);
    return connection->framing.kind == COPPICE_FRAMING_NONE ? Qfalse : Qtrue;
}

/* write(piece) -> Integer: sends a piece of the body, now. Raises Coppice::ClientGone. */
static VALUE connection_write(VALUE self, VALUE piece) {
    struct coppice_connection *connection = writable_connection(self);
    add_body(connection, check_piece(piece));
    coppice_output_flush(connection);
    return LONG2NUM(RSTRING_LEN(piece));
}

/* flush: sends what is gathered: the head, if it is not sent yet. */
static VALUE connection_flush(VALUE self) {
    coppice_output_flush(writable_connection(self));
    return self;
}

/* finish_response(trailers = nil) -> Integer: bytes missing to the content-length; negative: bytes cut off. */
static VALUE connection_finish_response(int argc, VALUE *argv, VALUE self) {
    VALUE trailers;
    rb_scan_args(argc, argv, "01", &trailers);
    struct coppice_connection *connection = writable_connection(self);
    if (connection->framing.kind == COPPICE_FRAMING_CHUNKED) {
        coppice_byte_buffer_append(&connection->output, "0\r\n", 3);
        if (!NIL_P(trailers)) coppice_response_fields(&connection->output, trailers, false);
        coppice_byte_buffer_append(&connection->output, "\r\n", 2);
    }
    finish(connection);
    return length_difference(connection);
}

/* The kernel has no sendfile for this file and socket: copies a piece, and answers its length. */
static size_t copy_piece(struct coppice_connection *connection, int file, off_t offset, uint64_t wanted) {
    VALUE piece = rb_str_buf_new(FILE_PIECE_BYTES);
    size_t size = wanted < FILE_PIECE_BYTES ? (size_t)wanted : FILE_PIECE_BYTES;
    ssize_t count = pread(file, RSTRING_PTR(piece), size, offset);
    if (count < 0) rb_sys_fail("pread");
    rb_str_set_len(piece, count);
    add_body(connection, piece);
    coppice_output_flush(connection);
    return (size_t)count;
}

/* A file that shrinks meanwhile leaves the response short. */
static void copy_file(struct coppice_connection *connection, int file, off_t offset) {
    size_t copied = 1;
    while (copied > 0 && connection->framing.remaining > 0) {
        copied = copy_piece(connection, file, offset, connection->framing.remaining);
        offset += (off_t)copied;
    }
}

static void send_file(struct coppice_connection *connection, int file) {
    struct coppice_framing *framing = &connection->framing;
    off_t offset = 0;
    connection->sending = true;
    while (framing->remaining > 0) {
        size_t sent = 0;
        bool supported = true;
        enum coppice_io_result result =
            connection->transport->write_file(connection, file, &offset, framing->remaining, &sent, &supported);
        if (!supported) {
            connection->sending = false;
            return copy_file(connection, file, offset);
        }
        if (result == COPPICE_IO_CLOSED) coppice_raise_client_gone(connection, "the file did not reach it");
        if (result == COPPICE_IO_BLOCKED) coppice_output_wait(connection);
        if (result == COPPICE_IO_DONE && sent == 0) break; /* the file has shrunk */
        framing->remaining -= sent;
        coppice_output_sent(connection, sent);
    }
    connection->sending = false;
}

/* write_file(descriptor): sends the file's bytes from its start, as many as the response's content-length says. */
static VALUE connection_write_file(VALUE self, VALUE file) {
    struct coppice_connection *connection = writable_connection(self);
    coppice_output_cork(connection); /* the head leaves with the first of the file's bytes */
    if (connection->framing.kind == COPPICE_FRAMING_LENGTH) send_file(connection, NUM2INT(file));
    return self;
}

/* early_hints(headers): 103, before the response. Nothing for a client of HTTP/1.0 or once the response has begun. */
static VALUE connection_early_hints(VALUE self, VALUE headers) {
    struct coppice_connection *connection = writable_connection(self);
    if (connection->head_made || connection->head->minor_version == 0) return Qnil;
    struct coppice_byte_buffer *output = &connection->output;
    output->length = 0;
    coppice_status_line_append(output, 103);
    coppice_response_fields(output, headers, true); /* Rails joins its links with line feeds */
    coppice_byte_buffer_append(output, "\r\n", 2);
    bool sent = coppice_output_send_interim(connection, output->data, output->length);
    output->length = 0;
    if (!sent) coppice_raise_client_gone(connection, "early hints did not reach it");
    return Qnil;
}

/* response_started? -> whether the client may have seen a byte of it: then no other response can be given. */
static VALUE connection_response_started_p(VALUE self) {
    return coppice_connection_get(self)->response_started ? Qtrue : Qfalse;
}

void Init_coppice_response(VALUE coppice) {
    VALUE klass = coppice_connection_class(coppice);
    rb_define_method(klass, "respond", connection_respond, 3);
    rb_define_method(klass, "start_response", connection_start_response, -1);
    rb_define_method(klass, "write", connection_write, 1);
    rb_define_method(klass, "flush", connection_flush, 0);
    rb_define_method(klass, "finish_response", connection_finish_response, -1);
    rb_define_method(klass, "write_file", connection_write_file, 1);
    rb_define_method(klass, "early_hints", connection_early_hints, 1);
    rb_define_method(klass, "response_started?", connection_response_started_p, 0);
}
