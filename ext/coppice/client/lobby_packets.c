/* Descriptors between a worker and the lobby: the body's file, the client's socket, a file to send. */
#include "lobby_packets.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/fd_wait.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#ifndef MSG_CMSG_CLOEXEC
#define MSG_CMSG_CLOEXEC 0
#endif

union control {
    struct cmsghdr header; /* aligns the bytes */
    char bytes[CMSG_SPACE(sizeof(int))];
};

static void put_descriptor(struct msghdr *message, union control *control, int fd) {
    memset(control, 0, sizeof(*control));
    message->msg_control = control->bytes;
    message->msg_controllen = sizeof(control->bytes);
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &fd, sizeof(fd));
}

static int descriptor_of(struct msghdr *message) {
    const struct cmsghdr *header = CMSG_FIRSTHDR(message);
    int fd = -1;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof(int))) {
        memcpy(&fd, CMSG_DATA(header), sizeof(fd));
    }
    return fd;
}

bool coppice_lobby_send_packet(struct coppice_lobby_seat *seat, uint32_t type, int fd, int64_t timeout_ms) {
    struct coppice_lobby_packet packet = {.type = type, .serial = seat->serial};
    struct iovec part = {.iov_base = &packet, .iov_len = sizeof(packet)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    union control control;
    if (fd >= 0) put_descriptor(&message, &control, fd);
    int64_t deadline_ms = coppice_monotonic_ms() + timeout_ms;
    for (;;) {
        if (sendmsg(seat->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return true;
        if (errno == EINTR) continue;
        if (errno != EAGAIN || !coppice_wait_for_fd(seat->socket, POLLOUT, deadline_ms)) return false;
    }
}

/* Whether it is the answer to the request in hand; its descriptor is closed if not. */
static bool accept_packet(const struct coppice_lobby_seat *seat, const struct coppice_lobby_packet *packet, int fd,
                          size_t length) {
    if (length >= sizeof(*packet) && packet->serial == seat->serial) return true;
    if (fd >= 0) close(fd);
    return false;
}

enum coppice_io_result coppice_lobby_receive_packet(struct coppice_lobby_seat *seat,
                                                    struct coppice_lobby_answer *answer) {
    for (;;) {
        struct coppice_lobby_packet packet;
        struct iovec parts[] = {
            {.iov_base = &packet, .iov_len = sizeof(packet)},
            {.iov_base = answer->bytes, .iov_len = answer->capacity},
        };
        union control control;
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2, .msg_control = control.bytes,
                                 .msg_controllen = sizeof(control.bytes)};
        ssize_t length = recvmsg(seat->socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (length < 0 && errno == EINTR) continue;
        if (length < 0 && errno == EAGAIN) return COPPICE_IO_BLOCKED;
        if (length <= 0) return COPPICE_IO_CLOSED;
        int fd = descriptor_of(&message);
        if (!accept_packet(seat, &packet, fd, (size_t)length)) continue;
        answer->fd = fd;
        answer->dropped = message.msg_flags & MSG_CTRUNC;
        answer->length = (size_t)length - sizeof(packet);
        return COPPICE_IO_DONE;
    }
}
