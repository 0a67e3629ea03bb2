/* Files without a name, for bodies and answers that are too large for memory. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "memory.h"

#ifndef FILE_ERROR_PAUSE_MS
#define FILE_ERROR_PAUSE_MS (10 * 1000)
#endif

/* File systems without O_TMPFILE are NFS and old ones: the file is in memory then. */
static int create(const struct coppice_lobby *lobby) {
    int fd = -1;
    if (lobby->directory_fd >= 0) fd = openat(lobby->directory_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd >= 0 ? fd : memfd_create("coppice-buffer", MFD_CLOEXEC);
}

/* At most one line of each kind in FILE_ERROR_PAUSE_MS, for all clients together. */
static bool line_due(int64_t *due_ms) {
    if (lobby_process.now_ms < *due_ms) return false;
    *due_ms = lobby_process.now_ms + FILE_ERROR_PAUSE_MS;
    return true;
}

static void log_missing_file(const struct coppice_lobby *lobby, int error) {
    if (!line_due(&lobby_process.missing_file_due_ms)) return;
    lobby_log(lobby, LOBBY_ERROR, "no file for a large body or answer: %s%s", strerror(error),
              error == EMFILE ? ": raise the limit (ulimit -Hn, LimitNOFILE=)" : "");
}

/* Idle clients make room for it; the one that it is for is not idle. */
int lobby_file_create(struct coppice_lobby *lobby) {
    for (;;) {
        int fd = create(lobby), error = errno;
        if (fd >= 0) return fd;
        if ((error == EMFILE || error == ENFILE) && lobby_evict(lobby)) continue;
        log_missing_file(lobby, error);
        return -1;
    }
}

static void log_missing_room(const struct coppice_lobby *lobby, const char *why) {
    if (!line_due(&lobby_process.missing_room_due_ms)) return;
    lobby_log(lobby, LOBBY_ERROR, "no room for a large body or answer: %s", why);
}

/* A file system without a size, as that of files in memory, and one that does not tell, has room. */
bool lobby_file_system_has_room(const struct coppice_lobby *lobby, int fd, uint64_t bytes) {
    struct statfs disk;
    bool known = fd >= 0 && fstatfs(fd, &disk) == 0 && disk.f_blocks > 0;
    uint64_t unit = known ? (uint64_t)(disk.f_frsize > 0 ? disk.f_frsize : disk.f_bsize) : 0;
    lobby_process.disk_full = known && (uint64_t)disk.f_bavail * unit < bytes;
    if (lobby_process.disk_full) log_missing_room(lobby, strerror(ENOSPC));
    return !lobby_process.disk_full;
}

bool lobby_file_append(struct coppice_lobby *lobby, int fd, const char *bytes, size_t length) {
    if (lobby->file_bytes + length > lobby->settings.buffer_disk_limit) {
        log_missing_room(lobby, "buffer_disk_limit is used up");
        return false;
    }
    size_t written = 0;
    while (written < length) {
        ssize_t count = write(fd, bytes + written, length - written);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            log_missing_room(lobby, strerror(errno));
            return false;
        }
        written += (size_t)count;
    }
    lobby->file_bytes += length;
    lobby_count_to(lobby->counters, LOBBY_file_bytes, (int64_t)lobby->file_bytes);
    return true;
}
