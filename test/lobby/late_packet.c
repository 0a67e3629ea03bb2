/* Linked into a lobby with --wrap=recv: where it looks for a worker's packet and there is none, it goes on only when one
 * has come, as if that had come right behind the look; or after half a second. */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>
#include <time.h>

#include "shared/lobby_memory.h"

ssize_t __real_recv(int fd, void *bytes, size_t length, int flags);
ssize_t __wrap_recv(int fd, void *bytes, size_t length, int flags);

ssize_t __wrap_recv(int fd, void *bytes, size_t length, int flags) {
    ssize_t received = __real_recv(fd, bytes, length, flags);
    if (received >= 0 || errno != EAGAIN || length != sizeof(struct coppice_lobby_packet)) return received;
    struct pollfd packet = {.fd = fd, .events = POLLIN};
    struct timespec most = {.tv_nsec = 500 * 1000 * 1000};
    ppoll(&packet, 1, &most, NULL);
    errno = EAGAIN;
    return -1;
}
