/* Coppice::Http::Connection, how it gets its client: from a listener, or as a descriptor that was accepted elsewhere.
 * */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "connection.h"
#include "coppice_ext.h"
#include "request.h"
#include "response.h"

static void begin_client(struct coppice_connection *connection, int fd) {
    coppice_connection_begin(connection, fd);
    coppice_request_reset(connection);
    coppice_response_reset(connection);
}

static int accept_client(int listener, struct sockaddr_storage *peer) {
    socklen_t length = sizeof(*peer);
    memset(&peer->ss_family, 0, sizeof(peer->ss_family));
#ifdef COPPICE_LINUX
    return accept4(listener, (struct sockaddr *)peer, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
    int fd = accept(listener, (struct sockaddr *)peer, &length);
    if (fd >= 0 && (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)) rb_sys_fail("fcntl");
    return fd;
#endif
}

/* Errors of this one connection that its client or the network caused: there is nothing to serve. */
static bool nothing_to_accept(int error) {
    switch (error) {
    case EAGAIN:
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case EPERM:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENOPROTOOPT:
#ifdef ENONET
    case ENONET:
#endif
    case EOPNOTSUPP:
    case EINVAL: /* bound, but not listening yet: epoll reports that as a hang-up */
        return true;
    default:
        return false;
    }
}

/* accept(listener_fd) -> true, or false when another worker was faster or the client left. */
static VALUE connection_accept(VALUE self, VALUE listener) {
    struct coppice_connection *connection = coppice_connection_get(self);
    if (connection->fd >= 0) rb_raise(rb_eIOError, "the last client is still on this connection: close it first");
    int fd = accept_client(NUM2INT(listener), &connection->peer);
    int error = errno;
    if (fd < 0) {
        if (nothing_to_accept(error)) return Qfalse;
        rb_syserr_fail(error, "accept");
    }
    begin_client(connection, fd);
    return Qtrue;
}

/* adopt(fd, remote_address, bytes = ""): a client that was accepted elsewhere, with what was read from it. */
static VALUE connection_adopt(int argc, VALUE *argv, VALUE self) {
    VALUE rb_fd, address, bytes;
    rb_scan_args(argc, argv, "21", &rb_fd, &address, &bytes);
    struct coppice_connection *connection = coppice_connection_get(self);
    if (connection->fd >= 0) rb_raise(rb_eIOError, "the last client is still on this connection: close it first");
    int fd = NUM2INT(rb_fd);
    const char *text = StringValueCStr(address);
    if (!NIL_P(bytes)) StringValue(bytes);

    socklen_t length = sizeof(connection->peer);
    if (getsockname(fd, (struct sockaddr *)&connection->peer, &length) < 0) rb_sys_fail("getsockname");
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK | O_RDWR) < 0) rb_sys_fail("fcntl");
    begin_client(connection, fd);
    snprintf(connection->adopted_address, sizeof(connection->adopted_address), "%s", text);
    if (!NIL_P(bytes)) coppice_byte_buffer_append(&connection->input, RSTRING_PTR(bytes), RSTRING_LEN(bytes));
    return self;
}

void Init_coppice_accept(VALUE coppice) {
    VALUE klass = coppice_connection_class(coppice);
    rb_define_method(klass, "accept", connection_accept, 1);
    rb_define_method(klass, "adopt", connection_adopt, -1);
}
