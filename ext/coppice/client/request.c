/* Coppice::Http::Connection, reading the request's head; request_body.c reads what follows it. */
#include "request.h"

#include <poll.h>

#include "client_wait.h"
#include "coppice_ext.h"
#include "shared/socket_io.h"

enum { READ_BYTES = 16 * 1024 }; /* room for one recv: most requests fit in whole */

void coppice_request_reset(struct coppice_connection *connection) {
    connection->input.length = 0;
    connection->input_position = 0;
    connection->head_complete = false;
    connection->body = COPPICE_BODY_UNKNOWN;
    connection->body_remaining = 0;
    connection->dropped_headers = 0;
    connection->refusal = NULL;
    connection->continue_due = false;
    coppice_wait_budget_reset(&connection->read_budget, connection->limits.client_header_timeout_ms);
    coppice_http_parser_init(&connection->parser, &connection->limits.head, connection->head,
                             connection->limits.field_count);
}

enum coppice_io_result coppice_request_receive(struct coppice_connection *connection, char *bytes, size_t capacity,
                                               size_t *received) {
    if (connection->read_budget.waiting) rb_raise(rb_eIOError, "another thread is reading from this client");
    for (;;) {
        enum coppice_io_result result = coppice_io_receive(connection->fd, bytes, capacity, received);
        if (result != COPPICE_IO_BLOCKED) {
            if (result == COPPICE_IO_DONE) coppice_traffic_received(&connection->traffic, *received);
            return result;
        }
        if (coppice_wait_for_client(connection, POLLIN, &connection->read_budget) != COPPICE_WAIT_READY) {
            return COPPICE_IO_TIMEOUT;
        }
    }
}

enum coppice_io_result coppice_request_receive_input(struct coppice_connection *connection) {
    struct coppice_byte_buffer *input = &connection->input;
    coppice_byte_buffer_reserve(input, READ_BYTES);
    size_t received = 0;
    enum coppice_io_result result =
        coppice_request_receive(connection, input->data + input->length, input->capacity - input->length, &received);
    input->length += received;
    return result;
}

VALUE coppice_request_refuse(struct coppice_connection *connection, int status, const char *reason) {
    connection->body = COPPICE_BODY_REFUSED;
    connection->refusal = reason;
    return INT2NUM(status);
}

/* The head is good and says what follows it. */
static VALUE begin_body(struct coppice_connection *connection) {
    const struct coppice_request_head *head = connection->head;
    connection->head_complete = true;
    connection->input_position = head->length;
    coppice_wait_budget_reset(&connection->read_budget, connection->limits.client_body_timeout_ms);
    connection->continue_due = head->expects_continue; /* never for HTTP/1.0, nor without a body */
    if (head->has_content_length && head->content_length > connection->limits.max_body_bytes) {
        return coppice_request_refuse(connection, 413, "the body is larger than max_body_bytes");
    }
    if (head->chunked) {
        connection->body = COPPICE_BODY_CHUNKED;
        coppice_chunked_init_request(&connection->chunked, connection->limits.max_body_bytes);
    } else if (head->has_content_length && head->content_length > 0) {
        connection->body = COPPICE_BODY_LENGTH;
        connection->body_remaining = head->content_length;
    } else {
        connection->body = COPPICE_BODY_READ;
    }
    return Qtrue;
}

/* A connection without a single byte is a health check or a browser's spare one: it gets no answer. */
static VALUE head_not_sent(struct coppice_connection *connection, enum coppice_io_result result) {
    if (result == COPPICE_IO_TIMEOUT && connection->input.length > 0) {
        return coppice_request_refuse(connection, 408, "the head did not arrive within client_header_timeout");
    }
    connection->client_gone = true;
    return Qnil;
}

/* Reads and parses until the head is complete or is refused. */
static VALUE receive_head(struct coppice_connection *connection) {
    const struct coppice_byte_buffer *input = &connection->input;
    if (input->length == 0) { /* else it was adopted with bytes */
        enum coppice_io_result first = coppice_request_receive_input(connection);
        if (first != COPPICE_IO_DONE) return head_not_sent(connection, first);
    }
    for (;;) {
        switch (coppice_http_parse(&connection->parser, input->data, input->length)) {
        case COPPICE_HTTP_COMPLETE:
            return begin_body(connection);
        case COPPICE_HTTP_REFUSED:
            return coppice_request_refuse(connection, coppice_http_error_status(connection->parser.error),
                          coppice_http_error_reason(connection->parser.error));
        case COPPICE_HTTP_INCOMPLETE:
            break;
        }
        enum coppice_io_result result = coppice_request_receive_input(connection);
        if (result != COPPICE_IO_DONE) return head_not_sent(connection, result);
    }
}

VALUE coppice_request_begin(struct coppice_connection *connection) {
    /* A head that was parsed elsewhere is complete already. */
    return connection->head_complete ? begin_body(connection) : receive_head(connection);
}

/*
 * read_head -> true when there is a request, nil when the client left without
 * one, or the Integer status to refuse it with; #refusal tells why.
 */
static VALUE connection_read_head(VALUE self) {
    struct coppice_connection *connection = coppice_connection_open(self);
    return connection->transport->begin_request(connection);
}

/* content_length -> Integer, or nil when the client did not say. */
static VALUE connection_content_length(VALUE self) {
    const struct coppice_request_head *head = coppice_connection_get(self)->head;
    return head->has_content_length ? ULL2NUM(head->content_length) : Qnil;
}

/* refusal -> a sentence: why read_head answered a status. */
static VALUE connection_refusal(VALUE self) {
    const char *reason = coppice_connection_get(self)->refusal;
    return reason ? rb_utf8_str_new_cstr(reason) : Qnil;
}

void Init_coppice_request(VALUE coppice) {
    VALUE klass = coppice_connection_class(coppice);
    rb_define_method(klass, "read_head", connection_read_head, 0);
    rb_define_method(klass, "refusal", connection_refusal, 0);
    rb_define_method(klass, "content_length", connection_content_length, 0);
}
