/* Coppice::OS.listen_queues and handshakes: what the kernel tells of sockets by sock_diag(7). */
#include "coppice_ext.h"

#ifdef COPPICE_LINUX

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    ANSWER_BYTES = 16 * 1024,
    LISTENING = 1 << TCP_LISTEN,
    NEW_SYN_RECV = 12, /* the kernel's own state of a connection that no process can see yet */
    CONNECTING = 1 << TCP_SYN_RECV | 1 << NEW_SYN_RECV,
};

/* Which sockets to list: of an address family (AF_INET and AF_INET6: TCP), in these states, at this port (0: at any); in
 * the caller's network namespace. */
struct question {
    int family;
    uint32_t states;
    uint16_t port;
};

struct answers {
    size_t count;
    VALUE queues; /* a Hash to be filled, or nil */
};

static bool ask(int fd, struct question question) {
    struct {
        struct nlmsghdr header;
        union {
            struct inet_diag_req_v2 inet;
            struct unix_diag_req local;
        } body;
    } request = {.header = {.nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};
    if (question.family == AF_UNIX) {
        request.body.local = (struct unix_diag_req){
            .sdiag_family = AF_UNIX, .udiag_states = question.states, .udiag_show = UDIAG_SHOW_RQLEN};
        request.header.nlmsg_len = NLMSG_LENGTH(sizeof(request.body.local));
    } else {
        request.body.inet = (struct inet_diag_req_v2){.sdiag_family = (unsigned char)question.family,
                                                      .sdiag_protocol = IPPROTO_TCP,
                                                      .idiag_states = question.states,
                                                      .id.idiag_sport = htons(question.port)};
        request.header.nlmsg_len = NLMSG_LENGTH(sizeof(request.body.inet));
    }
    return send(fd, &request, request.header.nlmsg_len, 0) >= 0;
}

static void add(struct answers *answers, uint32_t inode, uint32_t waiting, uint32_t backlog) {
    answers->count++;
    if (NIL_P(answers->queues)) return;
    rb_hash_aset(answers->queues, UINT2NUM(inode), rb_assoc_new(UINT2NUM(waiting), UINT2NUM(backlog)));
}

static bool add_inet(const struct nlmsghdr *header, struct answers *answers) {
    const struct inet_diag_msg *socket = NLMSG_DATA(header);
    if (header->nlmsg_len < NLMSG_LENGTH(sizeof(*socket))) return false;
    add(answers, socket->idiag_inode, socket->idiag_rqueue, socket->idiag_wqueue);
    return true;
}

static bool add_unix(struct nlmsghdr *header, struct answers *answers) {
    struct unix_diag_msg *socket = NLMSG_DATA(header);
    if (header->nlmsg_len < NLMSG_LENGTH(sizeof(*socket))) return false;
    int length = (int)(header->nlmsg_len - NLMSG_LENGTH(sizeof(*socket)));
    struct rtattr *attribute = (struct rtattr *)(socket + 1);
    for (; RTA_OK(attribute, length); attribute = RTA_NEXT(attribute, length)) {
        struct unix_diag_rqlen queue;
        if (attribute->rta_type != UNIX_DIAG_RQLEN || RTA_PAYLOAD(attribute) < sizeof(queue)) continue;
        memcpy(&queue, RTA_DATA(attribute), sizeof(queue));
        add(answers, socket->udiag_ino, queue.udiag_rqueue, queue.udiag_wqueue);
        break;
    }
    return true;
}

/* The kernel answers at once: there is nothing to wait for. */
static bool take(int fd, int family, struct answers *answers) {
    _Alignas(struct nlmsghdr) char bytes[ANSWER_BYTES];
    for (;;) {
        ssize_t count = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        size_t left = (size_t)count;
        struct nlmsghdr *header = (struct nlmsghdr *)bytes;
        for (; NLMSG_OK(header, left); header = NLMSG_NEXT(header, left)) {
            if (header->nlmsg_type == NLMSG_DONE) return true;
            if (header->nlmsg_type == NLMSG_ERROR) return false;
            if (!(family == AF_UNIX ? add_unix(header, answers) : add_inet(header, answers))) return false;
        }
    }
}

/* False where the kernel or a sandbox refuses. */
static bool list(struct question question, struct answers *answers) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0) return false;
    bool listed = ask(fd, question) && take(fd, question.family, answers);
    close(fd);
    return listed;
}

/* listen_queues(:inet | :inet6 | :unix) -> { inode => [connections that wait, how many may] } of all listening sockets
 * of the family in this network namespace; nil when the kernel or a sandbox refuses. */
static VALUE os_listen_queues(VALUE self, VALUE name) {
    ID id = rb_sym2id(name);
    int family = id == rb_intern("unix") ? AF_UNIX : id == rb_intern("inet6") ? AF_INET6 : AF_INET;
    struct answers listening = {.queues = rb_hash_new()};
    return list((struct question){.family = family, .states = LISTENING}, &listening) ? listening.queues : Qnil;
}

/* handshakes(port) -> how many clients of this TCP port have begun to connect and cannot be accepted yet: their handshake
 * is not over, or they have sent nothing and the listener has TCP_DEFER_ACCEPT. nil when the kernel or a sandbox
 * refuses. */
static VALUE os_handshakes(VALUE self, VALUE port) {
    struct question question = {.family = AF_INET, .states = CONNECTING, .port = (uint16_t)NUM2UINT(port)};
    struct answers connecting = {.queues = Qnil};
    if (!list(question, &connecting)) return Qnil;
    question.family = AF_INET6;
    list(question, &connecting); /* or there is none */
    return SIZET2NUM(connecting.count);
}

#else

static VALUE os_listen_queues(VALUE self, VALUE name) {
    return Qnil;
}

static VALUE os_handshakes(VALUE self, VALUE port) {
    return Qnil;
}

#endif

void Init_coppice_socket_queues(VALUE coppice) {
    VALUE os = rb_define_module_under(coppice, "OS");
    rb_define_module_function(os, "listen_queues", os_listen_queues, 1);
    rb_define_module_function(os, "handshakes", os_handshakes, 1);
}
