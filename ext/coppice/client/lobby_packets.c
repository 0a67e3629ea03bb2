/* Descriptors between a worker and the lobby: the body's file, the client's socket, a file to send. */
#include "lobby_packets.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "os/fd_wait.h"
#include "shared/packets.h"

bool coppice_lobby_send_packet(struct coppice_lobby_seat *seat, uint32_t type, int fd, int64_t timeout_ms) {
    struct coppice_lobby_packet packet = {.type = type, .serial = seat->serial};
    struct iovec part = {.iov_base = &packet, .iov_len = sizeof(packet)};
    int64_t deadline_ms = coppice_monotonic_ms() + timeout_ms;
    while (!coppice_packet_send(seat->socket, &part, 1, fd)) {
        if (errno != EAGAIN || !coppice_wait_for_fd(seat->socket, POLLOUT, deadline_ms)) return false;
    }
    return true;
}

enum coppice_io_result coppice_lobby_receive_packet(struct coppice_lobby_seat *seat,
                                                    struct coppice_lobby_answer *answer) {
    for (;;) {
        struct coppice_lobby_packet packet;
        struct iovec parts[] = {
            {.iov_base = &packet, .iov_len = sizeof(packet)},
            {.iov_base = answer->bytes, .iov_len = answer->capacity},
        };
        int fd = -1, count;
        ssize_t length = coppice_packet_receive(seat->socket, parts, 2, &fd, 1, &count);
        if (length < 0 && errno == EAGAIN) return COPPICE_IO_BLOCKED;
        if (length <= 0) return COPPICE_IO_CLOSED;
        if (length >= (ssize_t)sizeof(packet) && packet.serial == seat->serial) {
            answer->fd = fd;
            answer->dropped = fd < 0 && packet.type != COPPICE_LOBBY_GONE;
            answer->length = (size_t)length - sizeof(packet);
            return COPPICE_IO_DONE;
        }
        if (fd >= 0) close(fd);
    }
}
