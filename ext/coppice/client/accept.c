/*
 * Coppice::Http::Connection, how it gets its client: from a listener, or as a descriptor that was accepted elsewhere,
 * with the bytes that were read there, or from the lobby with a whole request.
 */
#include "accept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "coppice_ext.h"
#include "request.h"

static void begin_client(struct coppice_connection *connection, int fd) {
    coppice_connection_begin(connection, fd);
    coppice_request_reset(connection);
    coppice_response_reset(connection);
}

struct coppice_connection *coppice_connection_vacant(VALUE self) {
    struct coppice_connection *connection = coppice_connection_get(self);
    if (!coppice_connection_has_client(connection)) return connection;
    rb_raise(rb_eIOError, "the last client is still on this connection: close it first");
}

static int accept_client(int listener, struct sockaddr_storage *peer) {
    socklen_t length = sizeof(*peer);
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
    struct coppice_connection *connection = coppice_connection_vacant(self);
    struct sockaddr_storage peer = {.ss_family = AF_UNSPEC};
    int fd = accept_client(NUM2INT(listener), &peer);
    int error = errno;
    if (fd < 0) {
        if (nothing_to_accept(error)) return Qfalse;
        rb_syserr_fail(error, "accept");
    }
    coppice_lobby_address_of_socket(&connection->peer, &peer);
    begin_client(connection, fd);
    return Qtrue;
}

/* https = true or false: whether the client that was just accepted or adopted used TLS to the proxy. */
static VALUE connection_set_https(VALUE self, VALUE https) {
    coppice_connection_open(self)->https = RTEST(https);
    return https;
}

static void set_request_id(struct coppice_connection *connection, const char *id) {
    snprintf(connection->request_id, sizeof(connection->request_id), "%.39s", id);
}

/* request_id = text or nil: what the request is known by if its client sent none; after adopt. */
static VALUE connection_set_request_id(VALUE self, VALUE id) {
    if (!NIL_P(id)) set_request_id(coppice_connection_open(self), StringValueCStr(id));
    return id;
}

static void adopt(struct coppice_connection *connection, int fd, const char *address) {
    connection->peer = coppice_local_address(fd); /* of the same family */
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK | O_RDWR) < 0) rb_sys_fail("fcntl");
    begin_client(connection, fd);
    snprintf(connection->adopted_address, sizeof(connection->adopted_address), "%s", address);
}

/* adopt(fd, remote_address, bytes = "", copies = Connection.copies): a client that was accepted elsewhere, with what was
 * read from it. copies: those of before it was accepted. */
static VALUE connection_adopt(int argc, VALUE *argv, VALUE self) {
    VALUE rb_fd, address, bytes, copies;
    rb_scan_args(argc, argv, "22", &rb_fd, &address, &bytes, &copies);
    struct coppice_connection *connection = coppice_connection_vacant(self);
    if (!NIL_P(bytes)) StringValue(bytes);
    adopt(connection, NUM2INT(rb_fd), StringValueCStr(address));
    if (!NIL_P(bytes)) coppice_byte_buffer_append(&connection->input, RSTRING_PTR(bytes), RSTRING_LEN(bytes));
    if (!NIL_P(copies)) connection->copy_count = NUM2UINT(copies);
    return self;
}

static void take_head(struct coppice_connection *connection, const struct coppice_request_head *head,
                      const char *bytes, size_t length) {
    memcpy(connection->head, head, coppice_request_head_size(head->field_count));
    coppice_byte_buffer_append(&connection->input, bytes, length);
    connection->head_complete = true;
}

/* The lobby keeps the limit that it was started with, also when a later release allows fewer fields. Called before the
 * client begins, since the parser points to the head. */
static void make_room(struct coppice_connection *connection, uint32_t field_count) {
    if (field_count <= connection->limits.field_count) return;
    connection->head = ruby_xrealloc(connection->head, coppice_request_head_size(field_count));
}

bool coppice_connection_take_slot(struct coppice_connection *connection, VALUE seat_object,
                                  struct coppice_lobby_seat *seat) {
    const struct coppice_lobby_slot *slot = seat->slot;
    const struct coppice_request_head *head = &slot->head;
    if (head->field_count > seat->requests->field_capacity || head->length > slot->length) return false;
    make_room(connection, head->field_count);
    connection->peer = slot->client;
    begin_client(connection, -1);
    take_head(connection, head, coppice_lobby_slot_bytes(seat->requests, slot), slot->length);
    coppice_traffic_received(&connection->traffic, slot->length);
    connection->transport = &coppice_lobby_transport;
    connection->seat = seat;
    connection->seat_object = seat_object;
    connection->queued_us = slot->queued_us;
    connection->reading_us = slot->queued_us - slot->arrived_us;
    connection->server = slot->server;
    connection->https = slot->flags & COPPICE_LOBBY_HTTPS;
    if (slot->request_id[0]) set_request_id(connection, slot->request_id);
    return true;
}

void Init_coppice_accept(VALUE coppice) {
    VALUE klass = coppice_connection_class(coppice);
    rb_define_method(klass, "accept", connection_accept, 1);
    rb_define_method(klass, "https=", connection_set_https, 1);
    rb_define_method(klass, "request_id=", connection_set_request_id, 1);
    rb_define_method(klass, "adopt", connection_adopt, -1);
}
