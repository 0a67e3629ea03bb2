/* Packets of sockets that keep their bounds (SEQPACKET), some with descriptors. Nobody waits for either end. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "memory.h"

bool lobby_packet_send(int fd, struct iovec *parts, size_t count, int descriptor) {
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
    if (descriptor >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof(control);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        *header = (struct cmsghdr){
            .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
        memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    }
    return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

static void take_descriptors(struct msghdr *message, int *descriptors, int capacity, int *count) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        int passed = (int)((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        for (int i = 0; i < passed; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(part) + (size_t)i * sizeof(int), sizeof(int));
            if (*count < capacity)
                descriptors[(*count)++] = fd;
            else
                close(fd);
        }
    }
}

ssize_t lobby_packet_receive(int fd, char *bytes, size_t capacity, int *descriptors, int capacity_descriptors,
                             int *count) {
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * (LOBBY_LISTENERS + 8))];
    struct iovec part = {.iov_base = bytes, .iov_len = capacity};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    *count = 0;
    ssize_t length;
    do length = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (length < 0 && errno == EINTR);
    if (length >= 0) take_descriptors(&message, descriptors, capacity_descriptors, count);
    return length;
}
