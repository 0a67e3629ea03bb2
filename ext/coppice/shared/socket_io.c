#include "socket_io.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

#ifdef COPPICE_LINUX
#include <sys/sendfile.h>
#endif

/* Ruby ignores SIGPIPE, and a head that leaves apart from its body is only slower. */
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#ifndef MSG_MORE
#define MSG_MORE 0
#endif

static int64_t read_us(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t coppice_monotonic_us(void) {
    return read_us(CLOCK_MONOTONIC);
}

int64_t coppice_unix_us(void) {
    return read_us(CLOCK_REALTIME);
}

int64_t coppice_monotonic_ms(void) {
    return coppice_monotonic_us() / 1000;
}

static bool would_block(int error) {
    return error == EAGAIN || error == EWOULDBLOCK;
}

static enum coppice_io_result attempt_result(ssize_t count, int error, size_t *moved) {
    *moved = count > 0 ? (size_t)count : 0;
    if (count >= 0) return COPPICE_IO_DONE;
    return error == EINTR || would_block(error) ? COPPICE_IO_BLOCKED : COPPICE_IO_CLOSED;
}

enum coppice_io_result coppice_io_receive(int fd, char *bytes, size_t capacity, size_t *received) {
    ssize_t count = recv(fd, bytes, capacity, 0);
    int error = errno;
    return count == 0 ? COPPICE_IO_CLOSED : attempt_result(count, error, received);
}

enum coppice_io_result coppice_io_send(int fd, const struct iovec *parts, int count, bool more_follows, size_t *sent) {
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};
    int flags = MSG_NOSIGNAL | (more_follows ? MSG_MORE : 0);
    /* send(2) is a little cheaper than sendmsg(2), and one part is the usual case. */
    ssize_t result = count == 1 ? send(fd, parts[0].iov_base, parts[0].iov_len, flags) : sendmsg(fd, &message, flags);
    return attempt_result(result, errno, sent);
}

enum coppice_io_result coppice_io_send_file(int fd, int file, off_t *offset, size_t count, size_t *sent,
                                            bool *supported) {
    *supported = true;
#ifdef COPPICE_LINUX
    ssize_t result = sendfile(fd, file, offset, count);
    int error = errno;
    if (result >= 0 || (error != EINVAL && error != ENOSYS)) return attempt_result(result, error, sent);
#endif
    *supported = false;
    *sent = 0;
    return COPPICE_IO_DONE;
}

/* A system that does not report them counts what was sent as read. */
int coppice_io_queued_bytes(int fd) {
#ifdef COPPICE_LINUX
    int count;
    if (ioctl(fd, TIOCOUTQ, &count) == 0) return count;
#endif
    return 0;
}
