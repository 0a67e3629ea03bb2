#ifndef COPPICE_SOCKET_IO_H
#define COPPICE_SOCKET_IO_H

/*
 * Bytes in and out of a non-blocking socket. Every transfer is one attempt with the
 * Ruby lock held, which is all that most clients need; only a client that keeps us
 * waiting costs a poll(2) without the lock. While waiting Ruby's interrupts are served,
 * so that one may raise.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

enum coppice_io_result {
    COPPICE_IO_DONE,    /* some bytes moved */
    COPPICE_IO_CLOSED,  /* the peer closed its side, or the connection is broken */
    COPPICE_IO_BLOCKED, /* nothing moved: the peer has to read, or write, first */
    COPPICE_IO_TIMEOUT  /* the deadline passed */
};

int64_t coppice_monotonic_ms(void);

/* COPPICE_IO_DONE once fd is ready for `events` (POLLIN, POLLOUT) or broken. */
enum coppice_io_result coppice_io_wait(int fd, short events, int64_t deadline_ms);

/* One attempt, which never waits: DONE, BLOCKED or CLOSED. */
enum coppice_io_result coppice_io_receive(int fd, char *bytes, size_t capacity, size_t *received);

/* The same. */
enum coppice_io_result coppice_io_send(int fd, const struct iovec *parts, int count, bool more_follows, size_t *sent);

/* As coppice_io_send, from a file; *offset moves on. DONE with nothing sent is the end of the file; *supported is
 * false, and nothing was done, when the kernel cannot. */
enum coppice_io_result coppice_io_send_file(int fd, int file, off_t *offset, size_t count, size_t *sent, bool *supported);

#endif
