/* Linked into a lobby with --wrap=sendmsg: its loop dies as soon as it has given a client to a worker or a service; before
 * that if the client says so. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shared/lobby_memory.h"

ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);

enum { HANDSHAKE_PARTS = 3 };

static int gives_client(const struct msghdr *message) {
    const struct coppice_lobby_packet *packet = message->msg_iov[0].iov_base;
    if (!message->msg_control) return 0;
    return message->msg_iovlen == HANDSHAKE_PARTS || packet->type == COPPICE_LOBBY_CLIENT;
}

static int dies_before(const struct iovec *request) {
    return memmem(request->iov_base, request->iov_len, "X-Die: before", 13) != NULL;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags) {
    if (!gives_client(message)) return __real_sendmsg(fd, message, flags);
    if (!dies_before(&message->msg_iov[1])) __real_sendmsg(fd, message, flags);
    _exit(1);
}
