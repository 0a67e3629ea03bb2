/*
 * Coppice::Http::Connection, how its client goes: by a close that lets it read the answer, by a reset, or with a socket
 * that is left to another owner. And how its descriptor is lent.
 */
#include <errno.h>
#include <unistd.h>

#include "connection.h"
#include "connection_log.h"
#include "coppice_ext.h"

/* An answer whose end is the end of the connection, and which is cut off: only a reset says so. */
static bool cut_off(const struct coppice_connection *connection) {
    return connection->response_started && !connection->finished &&
           connection->framing.kind == COPPICE_FRAMING_UNTIL_CLOSE;
}

static VALUE leave(struct coppice_connection *connection, bool reset) {
    if (coppice_connection_has_client(connection)) connection->transport->leave(connection, reset);
    return Qnil;
}

/* close: always safe, and does not wait. */
static VALUE connection_close(VALUE self) {
    struct coppice_connection *connection = coppice_connection_get(self);
    return leave(connection, cut_off(connection));
}

/* abort: closes with a reset. */
static VALUE connection_abort(VALUE self) {
    return leave(coppice_connection_get(self), true);
}

/* forget: closes the descriptor and sends nothing; for a process that was forked while the client was served. */
static VALUE connection_forget(VALUE self) {
    struct coppice_connection *connection = coppice_connection_get(self);
    int fd = connection->fd;
    coppice_connection_end(connection);
    if (fd >= 0) close(fd);
    return Qnil;
}

static void take_over(struct coppice_connection *connection) {
    int error = connection->transport->take_over(connection);
    if (error == EMFILE) rb_syserr_fail(error, "the client's socket");
    if (error) coppice_raise_client_gone(connection, "its socket cannot be taken over");
}

/* fileno -> the client's descriptor, which stays the connection's. The lobby gives it away for good: the connection is
 * closed after the answer. */
static VALUE connection_fileno(VALUE self) {
    struct coppice_connection *connection = coppice_connection_open(self);
    take_over(connection);
    return INT2NUM(connection->fd);
}

/* detach -> [fd, bytes]: the descriptor is the caller's from now on, and so are the bytes read too far. */
static VALUE connection_detach(VALUE self) {
    struct coppice_connection *connection = coppice_connection_open(self);
    take_over(connection);
    VALUE rest = rb_str_new(connection->input.data + connection->input_position,
                            (long)(connection->input.length - connection->input_position));
    VALUE answer = rb_assoc_new(INT2NUM(connection->fd), rest);
    coppice_connection_log(connection);
    coppice_connection_end(connection);
    connection->detached = true;
    coppice_traffic_hijacked(&connection->traffic);
    return answer;
}

/* peer_gone? -> whether the client has closed already; one look, no waiting. */
static VALUE connection_peer_gone_p(VALUE self) {
    struct coppice_connection *connection = coppice_connection_open(self);
    return connection->transport->client_gone(connection) ? Qtrue : Qfalse;
}

void Init_coppice_close(VALUE coppice) {
    VALUE klass = coppice_connection_class(coppice);
    rb_define_method(klass, "close", connection_close, 0);
    rb_define_method(klass, "abort", connection_abort, 0);
    rb_define_method(klass, "forget", connection_forget, 0);
    rb_define_method(klass, "fileno", connection_fileno, 0);
    rb_define_method(klass, "detach", connection_detach, 0);
    rb_define_method(klass, "peer_gone?", connection_peer_gone_p, 0);
}
