#include "access_log.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static bool is_regular(int fd) {
    struct stat stat;
    return fd >= 0 && fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode);
}

void coppice_access_log_init(struct coppice_access_log *log, int fd, enum coppice_access_format format) {
    log->fd = fd;
    log->regular = is_regular(fd);
    log->format = format;
    log->dropped = 0;
    log->used = 0;
    log->begun = false;
}

void coppice_access_log_add(struct coppice_access_log *log, const struct coppice_access_entry *entry) {
    if (log->fd < 0) return;
    if (log->used + COPPICE_ACCESS_LINE_BYTES > sizeof(log->buffer)) coppice_access_log_flush(log);
    if (log->used + COPPICE_ACCESS_LINE_BYTES > sizeof(log->buffer)) {
        log->dropped++;
        return;
    }
    log->used += coppice_access_line(log->buffer + log->used, log->format, entry);
}

/* Of whole lines, as many as a pipe takes in one piece. */
static size_t next_piece(const struct coppice_access_log *log) {
    if (log->used <= COPPICE_ACCESS_LINE_BYTES) return log->used;
    size_t length = COPPICE_ACCESS_LINE_BYTES;
    while (length > 0 && log->buffer[length - 1] != '\n') length--;
    return length > 0 ? length : COPPICE_ACCESS_LINE_BYTES;
}

static void remove_first(struct coppice_access_log *log, size_t length) {
    log->begun = log->buffer[length - 1] != '\n';
    memmove(log->buffer, log->buffer + length, log->used - length);
    log->used -= length;
}

static void drop_all(struct coppice_access_log *log) {
    for (size_t i = 0; i < log->used; i++) log->dropped += log->buffer[i] == '\n';
    log->used = 0;
    log->begun = false;
}

/* The descriptor may be one that other processes write to as well, so it is not made non-blocking. A pipe with room has
 * it for a whole piece. */
static bool ready(int fd) {
    struct pollfd writable = {.fd = fd, .events = POLLOUT};
    return poll(&writable, 1, 0) == 1 && writable.revents & (POLLOUT | POLLERR);
}

/* Another process may have filled the pipe since it was ready. Not every kind of file knows the flag; none of the others
 * is a pipe of a new kernel. A regular file has no reader to wait for, but XFS and btrfs answer the flag with EAGAIN
 * nearly always. */
static ssize_t write_now(const struct coppice_access_log *log, const char *bytes, size_t length) {
#ifdef RWF_NOWAIT
    if (!log->regular) {
        struct iovec part = {.iov_base = (char *)bytes, .iov_len = length};
        ssize_t count = pwritev2(log->fd, &part, 1, -1, RWF_NOWAIT);
        if (count >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS && errno != EPERM)) return count;
    }
#endif
    return write(log->fd, bytes, length);
}

bool coppice_access_log_flush(struct coppice_access_log *log) {
    while (log->fd >= 0 && log->used > 0) {
        if (!ready(log->fd)) return false;
        ssize_t count = write_now(log, log->buffer, next_piece(log));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return false;
        if (count <= 0) {
            drop_all(log); /* a full disk, or nobody reads it any more */
        } else {
            remove_first(log, (size_t)count);
        }
    }
    return true;
}

/* A line that was begun elsewhere is no line in the new file. */
static void drop_rest_of_line(struct coppice_access_log *log) {
    const char *end = log->begun ? memchr(log->buffer, '\n', log->used) : NULL;
    if (!end) return;
    remove_first(log, (size_t)(end - log->buffer) + 1);
    log->dropped++;
}

int coppice_access_log_reopen(struct coppice_access_log *log, int fd) {
    int old = log->fd;
    coppice_access_log_flush(log);
    drop_rest_of_line(log);
    log->fd = fd;
    log->regular = is_regular(fd);
    return old;
}
