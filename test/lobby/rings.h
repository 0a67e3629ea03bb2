#ifndef COPPICE_TEST_LOBBY_RINGS_H
#define COPPICE_TEST_LOBBY_RINGS_H

/* For the C programs of the tests: rings, and the eventfds by which their two sides wake each other. */

#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bounded_poll.h"
#include "check.h"
#include "shared/answer_ring.h"

/* An empty one, of the file that `fd` is then. */
static inline struct coppice_answer_ring *make_ring(int *fd) {
    *fd = memfd_create("ring", MFD_CLOEXEC);
    CHECK(*fd >= 0 && ftruncate(*fd, (off_t)coppice_answer_ring_file_bytes()) == 0);
    struct coppice_answer_ring *ring = coppice_answer_ring_map(*fd, false);
    CHECK(ring);
    coppice_answer_ring_init(ring);
    return ring;
}

/* Whether the eventfd was written to in time; what was written is forgotten. */
static inline bool await_eventfd(int fd, int limit_ms) {
    struct pollfd readable = {.fd = fd, .events = POLLIN};
    uint64_t count;
    return bounded_poll(&readable, 1, limit_ms) == 1 && read(fd, &count, sizeof(count)) == sizeof(count);
}

#endif
