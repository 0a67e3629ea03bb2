/* Coppice::OS.listen_queues and handshakes, for Ruby: see sock_diag.h. */
#include <sys/socket.h>

#include "coppice_ext.h"
#include "shared/sock_diag.h"

/* listen_queues(:inet | :inet6 | :unix) -> { inode => [connections that wait, how many may] } of all listening sockets
 * of the family in this network namespace; nil when the kernel or a sandbox refuses. */
static VALUE os_listen_queues(VALUE self, VALUE name) {
    ID id = rb_sym2id(name);
    int family = id == rb_intern("unix") ? AF_UNIX : id == rb_intern("inet6") ? AF_INET6 : AF_INET;
    struct coppice_listen_queues queues = {.items = NULL};
    if (coppice_sock_diag(family, &queues) != 0) {
        coppice_listen_queues_free(&queues);
        return Qnil;
    }
    VALUE hash = rb_hash_new();
    for (size_t i = 0; i < queues.count; i++) {
        const struct coppice_listen_queue *queue = &queues.items[i];
        rb_hash_aset(hash, UINT2NUM(queue->inode), rb_assoc_new(UINT2NUM(queue->length), UINT2NUM(queue->backlog)));
    }
    coppice_listen_queues_free(&queues);
    return hash;
}

/* handshakes(port) -> how many clients of this TCP port have begun to connect and cannot be accepted yet; nil when the
 * kernel or a sandbox refuses. */
static VALUE os_handshakes(VALUE self, VALUE rb_port) {
    (void)self;
    uint16_t port = (uint16_t)NUM2UINT(rb_port);
    size_t v4, v6;
    if (coppice_handshakes(AF_INET, port, &v4) != 0) return Qnil;
    return SIZET2NUM(coppice_handshakes(AF_INET6, port, &v6) == 0 ? v4 + v6 : v4);
}

void Init_coppice_socket_queues(VALUE coppice) {
    VALUE os = rb_define_module_under(coppice, "OS");
    rb_define_module_function(os, "listen_queues", os_listen_queues, 1);
    rb_define_module_function(os, "handshakes", os_handshakes, 1);
}
