#ifndef COPPICE_SOCKET_IO_H
#define COPPICE_SOCKET_IO_H

/*
 * Bytes in and out of a non-blocking socket, in pure C. Every transfer is one attempt, which is all that most clients
 * need; client_wait.h waits for the others.
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
    COPPICE_IO_TIMEOUT  /* the client used up its time; no single attempt answers this */
};

int64_t coppice_monotonic_ms(void);
int64_t coppice_monotonic_us(void);
int64_t coppice_unix_us(void); /* since 1970, as the system's clock says */

/* One attempt, which never waits: DONE, BLOCKED or CLOSED. */
enum coppice_io_result coppice_io_receive(int fd, char *bytes, size_t capacity, size_t *received);

/* The same. more_follows: the kernel may keep the bytes until more are sent, which must happen. */
enum coppice_io_result coppice_io_send(int fd, const struct iovec *parts, int count, bool more_follows, size_t *sent);

/* As coppice_io_send, from a file; *offset moves on. DONE with nothing sent is the end of the file; *supported is
 * false, and nothing was done, when the kernel cannot. */
enum coppice_io_result coppice_io_send_file(int fd, int file, off_t *offset, size_t count, size_t *sent,
                                            bool *supported);

/* Bytes that the kernel keeps for the peer, which has not taken them yet. */
int coppice_io_queued_bytes(int fd);

#endif
