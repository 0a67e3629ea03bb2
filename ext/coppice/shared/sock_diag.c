#include "sock_diag.h"

#include <stdlib.h>

void coppice_listen_queues_free(struct coppice_listen_queues *queues) {
    free(queues->items);
    *queues = (struct coppice_listen_queues){.items = NULL};
}

#ifdef COPPICE_LINUX

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    ANSWER_BYTES = 16 * 1024,
    LISTENING = 1 << TCP_LISTEN,
    NEW_SYN_RECV = 12, /* the kernel's own state of a connection that no process can see yet */
    CONNECTING = 1 << TCP_SYN_RECV | 1 << NEW_SYN_RECV,
};

/* Which sockets to list: of an address family, in these states, at this port (0: at any). */
struct question {
    int family;
    uint32_t states;
    uint16_t port;
};

static int add(struct coppice_listen_queues *queues, struct coppice_listen_queue queue) {
    if (queues->count == queues->capacity) {
        size_t capacity = queues->capacity > 0 ? queues->capacity * 2 : 64;
        void *items = realloc(queues->items, capacity * sizeof(queue));
        if (!items) return ENOMEM;
        queues->items = items;
        queues->capacity = capacity;
    }
    queues->items[queues->count++] = queue;
    return 0;
}

static int ask(int fd, struct question question) {
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
    return send(fd, &request, request.header.nlmsg_len, 0) < 0 ? errno : 0;
}

static int add_inet(const struct nlmsghdr *header, struct coppice_listen_queues *queues) {
    const struct inet_diag_msg *socket = NLMSG_DATA(header);
    if (header->nlmsg_len < NLMSG_LENGTH(sizeof(*socket))) return EPROTO;
    return add(queues, (struct coppice_listen_queue){
                           .inode = socket->idiag_inode, .length = socket->idiag_rqueue, .backlog = socket->idiag_wqueue});
}

static int add_unix(struct nlmsghdr *header, struct coppice_listen_queues *queues) {
    struct unix_diag_msg *socket = NLMSG_DATA(header);
    if (header->nlmsg_len < NLMSG_LENGTH(sizeof(*socket))) return EPROTO;
    int length = (int)(header->nlmsg_len - NLMSG_LENGTH(sizeof(*socket)));
    struct rtattr *attribute = (struct rtattr *)(socket + 1);
    for (; RTA_OK(attribute, length); attribute = RTA_NEXT(attribute, length)) {
        struct unix_diag_rqlen queue;
        if (attribute->rta_type != UNIX_DIAG_RQLEN || RTA_PAYLOAD(attribute) < sizeof(queue)) continue;
        memcpy(&queue, RTA_DATA(attribute), sizeof(queue));
        return add(queues, (struct coppice_listen_queue){.inode = socket->udiag_ino,
                                                         .length = queue.udiag_rqueue,
                                                         .backlog = queue.udiag_wqueue});
    }
    return 0;
}

static int error_in(const struct nlmsghdr *header) {
    const struct nlmsgerr *error = NLMSG_DATA(header);
    return header->nlmsg_len >= NLMSG_LENGTH(sizeof(*error)) && error->error != 0 ? -error->error : EPROTO;
}

/* The kernel answers at once: there is nothing to wait for. */
static int take_answers(int fd, int family, struct coppice_listen_queues *queues) {
    _Alignas(struct nlmsghdr) char answer[ANSWER_BYTES];
    for (;;) {
        ssize_t count = recv(fd, answer, sizeof(answer), MSG_DONTWAIT);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count < 0 ? errno : EPROTO;
        size_t left = (size_t)count;
        struct nlmsghdr *header = (struct nlmsghdr *)answer;
        for (; NLMSG_OK(header, left); header = NLMSG_NEXT(header, left)) {
            if (header->nlmsg_type == NLMSG_DONE) return 0;
            if (header->nlmsg_type == NLMSG_ERROR) return error_in(header);
            int error = family == AF_UNIX ? add_unix(header, queues) : add_inet(header, queues);
            if (error) return error;
        }
    }
}

static int list(struct question question, struct coppice_listen_queues *queues) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0) return errno;
    int error = ask(fd, question);
    if (!error) error = take_answers(fd, question.family, queues);
    close(fd);
    return error;
}

int coppice_sock_diag(int family, struct coppice_listen_queues *queues) {
    return list((struct question){.family = family, .states = LISTENING}, queues);
}

int coppice_handshakes(int family, uint16_t port, size_t *count) {
    struct coppice_listen_queues connecting = {.items = NULL};
    int error = list((struct question){.family = family, .states = CONNECTING, .port = port}, &connecting);
    *count = connecting.count;
    coppice_listen_queues_free(&connecting);
    return error;
}

#else

#include <errno.h>

int coppice_sock_diag(int family, struct coppice_listen_queues *queues) {
    (void)family;
    (void)queues;
    return ENOSYS;
}

int coppice_handshakes(int family, uint16_t port, size_t *count) {
    (void)family;
    (void)port;
    *count = 0;
    return ENOSYS;
}

#endif
