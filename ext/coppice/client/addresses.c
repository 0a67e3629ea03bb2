/* Coppice::Http::Connection: the addresses of its two ends. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "connection.h"
#include "coppice_ext.h"

void coppice_lobby_address_to(const struct coppice_lobby_address *address, struct sockaddr_storage *socket) {
    socket->ss_family = address->family;
    if (address->family == AF_INET) {
        struct sockaddr_in *in = (struct sockaddr_in *)socket;
        memcpy(&in->sin_addr, address->bytes, sizeof(in->sin_addr));
        in->sin_port = htons(address->port);
    } else if (address->family == AF_INET6) {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)socket;
        memcpy(&in6->sin6_addr, address->bytes, sizeof(in6->sin6_addr));
        in6->sin6_port = htons(address->port);
    }
}

static VALUE text_of_address(const struct sockaddr_storage *address) {
    char text[INET6_ADDRSTRLEN] = "";
    struct coppice_lobby_address ip;
    if (address->ss_family == AF_INET) {
        coppice_lobby_address_set(&ip, AF_INET, &((const struct sockaddr_in *)address)->sin_addr);
    } else if (address->ss_family == AF_INET6) {
        coppice_lobby_address_set(&ip, AF_INET6, &((const struct sockaddr_in6 *)address)->sin6_addr);
    } else {
        return rb_utf8_str_new_cstr("127.0.0.1"); /* what Rack applications expect of a UNIX socket */
    }
    inet_ntop(ip.family, ip.bytes, text, sizeof(text));
    return rb_utf8_str_new_cstr(text);
}

/* remote_address -> "127.0.0.1" for a UNIX socket. */
static VALUE connection_remote_address(VALUE self) {
    struct coppice_connection *connection = coppice_connection_get(self);
    if (connection->adopted_address[0]) return rb_utf8_str_new_cstr(connection->adopted_address);
    return text_of_address(&connection->peer);
}

static void set_local(const struct coppice_connection *connection, struct sockaddr_storage *local) {
    socklen_t length = sizeof(*local);
    if (connection->seat) {
        coppice_lobby_address_to(&connection->server, local);
    } else if (getsockname(connection->fd, (struct sockaddr *)local, &length) < 0) {
        rb_sys_fail("getsockname");
    }
}

/* local_address -> [host, port], or nil for a UNIX socket. For requests without a Host. */
static VALUE connection_local_address(VALUE self) {
    struct sockaddr_storage local;
    set_local(coppice_connection_open(self), &local);
    if (local.ss_family != AF_INET && local.ss_family != AF_INET6) return Qnil;

    in_port_t port = local.ss_family == AF_INET ? ((struct sockaddr_in *)&local)->sin_port
                                                : ((struct sockaddr_in6 *)&local)->sin6_port;
    VALUE host = text_of_address(&local);
    if (strchr(StringValueCStr(host), ':')) host = rb_sprintf("[%" PRIsVALUE "]", host);
    return rb_assoc_new(host, INT2NUM(ntohs(port)));
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
