/*
 * Coppice::Http::Connection, how its client goes: by a close that lets it read the answer, by a reset, or with a socket
 * that is left to another owner. And how its descriptor is lent.
 */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connection.h"
#include "connection_log.h"
#include "coppice_ext.h"
#include "lingering.h"
#include "lobby_exchange.h"

/* Some clients send a stray line end after a body. To look for it costs a system call, so only requests with a body are
 * checked: behind a head without a body it was read along with the head. */
static bool stray_bytes(int fd) {
    char byte;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static bool unread_bytes(const struct coppice_connection *connection, int fd) {
    if (connection->body != COPPICE_BODY_READ || connection->input_position < connection->input.length) return true;
    return connection->head->has_content_length && connection->head->content_length > 0 && stray_bytes(fd);
}

/* Gives the client back to the lobby; a process that was forked meanwhile only forgets it. */
static VALUE leave_lobby(struct coppice_connection *connection, uint8_t flags) {
    if (!coppice_connection_foreign(connection)) coppice_lobby_end(connection, flags);
    coppice_connection_end(connection);
    return Qnil;
}

/* An answer whose end is the end of the connection, and which is cut off: only a reset says so. */
static bool cut_off(const struct coppice_connection *connection) {
    return connection->response_started && !connection->finished &&
           connection->framing.kind == COPPICE_FRAMING_UNTIL_CLOSE;
}

/* While a copy of this process has the descriptor as well, its close ends nothing: but to connect it to nowhere resets
 * it, on Linux. A Unix socket knows no reset. */
static void reset_socket(const struct coppice_connection *connection, int fd) {
    struct linger hard = {.l_onoff = 1, .l_linger = 0};
    struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    if (!coppice_connection_copied(connection)) return;
    if (connect(fd, &nowhere, sizeof(nowhere)) < 0) shutdown(fd, SHUT_RDWR);
}

/* Closes with a reset. */
static VALUE reset(struct coppice_connection *connection) {
    int fd = connection->fd;
    if (connection->lobby) return leave_lobby(connection, COPPICE_RECORD_RESET);
    if (fd < 0) return Qnil;
    coppice_connection_log(connection);
    coppice_connection_end(connection);
    if (!coppice_connection_foreign(connection)) reset_socket(connection, fd);
    close(fd);
    return Qnil;
}

/* close: always safe, and does not wait. A client that may still be sending is left to the Lingering, so that it sees
 * our answer and no reset. */
static VALUE connection_close(VALUE self) {
    struct coppice_connection *connection = coppice_connection_get(self);
    int fd = connection->fd;
    if (cut_off(connection)) return reset(connection);
    if (connection->lobby) return leave_lobby(connection, 0);
    if (fd < 0) return Qnil;
    bool answered = connection->response_started && !connection->client_gone;
    bool own = !coppice_connection_foreign(connection);
    bool lingers = answered && own && unread_bytes(connection, fd);
    if (own && !lingers && coppice_connection_copied(connection)) shutdown(fd, SHUT_RDWR); /* see reset_socket */
    coppice_connection_log(connection);
    coppice_connection_end(connection);
    if (lingers)
        coppice_lingering_add(connection->lingering, fd);
    else
        close(fd);
    return Qnil;
}

/* abort: closes with a reset. */
static VALUE connection_abort(VALUE self) {
    return reset(coppice_connection_get(self));
}

/* forget: closes the descriptor and sends nothing; for a process that was forked while the client was served. */
static VALUE connection_forget(VALUE self) {
    struct coppice_connection *connection = coppice_connection_get(self);
    int fd = connection->fd;
    coppice_connection_end(connection);
    if (fd >= 0) close(fd);
    return Qnil;
}

static void check_own(const struct coppice_connection *connection) {
    if (!coppice_connection_foreign(connection)) return;
    rb_raise(rb_eIOError, "this client is served by the process that forked this one");
}

/* The client's descriptor comes from the lobby, once it has sent what was written before. */
static void take_over(struct coppice_connection *connection) {
    check_own(connection);
    if (connection->sending) rb_raise(rb_eIOError, "another thread is writing to this client");
    int error = coppice_lobby_take_over(connection);
    if (error == EMFILE) rb_syserr_fail(error, "the client's socket");
    if (error) coppice_raise_client_gone(connection, "its socket cannot be taken over");
}

/* fileno -> the client's descriptor, which stays the connection's. The lobby gives it away for good: the connection is
 * closed after the answer. */
static VALUE connection_fileno(VALUE self) {
    struct coppice_connection *connection = coppice_connection_open(self);
    if (connection->lobby) take_over(connection);
    return INT2NUM(connection->fd);
}

/* detach -> [fd, bytes]: the descriptor is the caller's from now on, and so are the bytes read too far. */
static VALUE connection_detach(VALUE self) {
    struct coppice_connection *connection = coppice_connection_open(self);
    if (connection->lobby) take_over(connection);
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
    if (connection->lobby) {
        check_own(connection);
        return coppice_lobby_client_gone(connection) ? Qtrue : Qfalse;
    }
    char byte;
    ssize_t count = recv(connection->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    int error = errno;
    if (count > 0) return Qfalse;
    return count < 0 && (error == EAGAIN || error == EINTR) ? Qfalse : Qtrue;
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
