#include "packets.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#ifndef MSG_CMSG_CLOEXEC
#define MSG_CMSG_CLOEXEC 0
#endif

bool coppice_packet_send(int fd, struct iovec *parts, size_t count, int descriptor) {
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
    ssize_t sent;
    do sent = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent >= 0;
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

ssize_t coppice_packet_receive(int fd, struct iovec *parts, size_t part_count, int *descriptors, int capacity,
                               int *count) {
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * COPPICE_PACKET_DESCRIPTORS)];
    struct msghdr message = {
        .msg_iov = parts, .msg_iovlen = part_count, .msg_control = control, .msg_controllen = sizeof(control)};
    *count = 0;
    ssize_t length;
    do length = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (length < 0 && errno == EINTR);
    if (length >= 0) take_descriptors(&message, descriptors, capacity, count);
    return length;
}
