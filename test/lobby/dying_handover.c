/* Linked into a lobby with --wrap=sendmsg: its loop dies as soon as it has given a client to a worker. */
#include <sys/socket.h>
#include <unistd.h>

#include "lobby_memory.h"

ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags) {
    ssize_t sent = __real_sendmsg(fd, message, flags);
    const struct coppice_lobby_packet *packet = message->msg_iov[0].iov_base;
    if (message->msg_control && packet->type == COPPICE_LOBBY_CLIENT) _exit(1);
    return sent;
}
