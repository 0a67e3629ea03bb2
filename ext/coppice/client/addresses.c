/* Coppice::Http::Connection: the addresses of its two ends. */
#include <arpa/inet.h>

#include "connection.h"
#include "coppice_ext.h"

static VALUE text_of(const struct coppice_lobby_address *address) {
    char text[INET6_ADDRSTRLEN] = "127.0.0.1"; /* what Rack applications expect of a UNIX socket */
    if (coppice_lobby_address_is_ip(address)) inet_ntop(address->family, address->bytes, text, sizeof(text));
    return rb_utf8_str_new_cstr(text);
}

/* remote_address -> "127.0.0.1" for a UNIX socket. */
static VALUE connection_remote_address(VALUE self) {
    const struct coppice_connection *connection = coppice_connection_get(self);
    if (connection->adopted_address[0]) return rb_utf8_str_new_cstr(connection->adopted_address);
    return text_of(&connection->peer);
}

struct coppice_lobby_address coppice_local_address(int fd) {
    struct coppice_lobby_address address;
    struct sockaddr_storage local;
    socklen_t length = sizeof(local);
    if (getsockname(fd, (struct sockaddr *)&local, &length) < 0) rb_sys_fail("getsockname");
    coppice_lobby_address_of_socket(&address, &local);
    return address;
}

/* local_address -> [host, port], or nil for a UNIX socket. For requests without a Host. */
static VALUE connection_local_address(VALUE self) {
    const struct coppice_connection *connection = coppice_connection_open(self);
    struct coppice_lobby_address local = connection->seat ? connection->server : coppice_local_address(connection->fd);
    if (!coppice_lobby_address_is_ip(&local)) return Qnil;

    VALUE host = text_of(&local);
    if (local.family == AF_INET6) host = rb_sprintf("[%" PRIsVALUE "]", host);
    return rb_assoc_new(host, INT2NUM(local.port));
}

static VALUE connection_unix_p(VALUE self) {
    return coppice_connection_get(self)->family == AF_UNIX ? Qtrue : Qfalse;
}

void Init_coppice_addresses(VALUE coppice) {
    VALUE klass = coppice_connection_class(coppice);
    rb_define_method(klass, "remote_address", connection_remote_address, 0);
    rb_define_method(klass, "local_address", connection_local_address, 0);
    rb_define_method(klass, "unix?", connection_unix_p, 0);
}
