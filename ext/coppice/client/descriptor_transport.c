/* A client whose descriptor this process has. */
#include <errno.h>
#include <limits.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connection.h"
#include "connection_log.h"
#include "lingering.h"
#include "os/fd_wait.h"
#include "output.h"
#include "request.h"

static bool wait_for_client(const struct coppice_connection *connection, short events, int64_t deadline_ms) {
    return coppice_wait_for_fd(connection->fd, events, deadline_ms);
}

/* poll(2) calls a socket writable only when a good part of its send queue is gone: the queue says more. */
static void credit_reader(const struct coppice_connection *connection, struct coppice_wait_budget *budget) {
    coppice_wait_budget_credit_reader(budget, coppice_io_queued_bytes(connection->fd),
                                      connection->limits.client_min_rate);
}

static bool client_gone(const struct coppice_connection *connection) {
    char byte;
    ssize_t count = recv(connection->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

static bool keeps(const struct coppice_connection *connection) {
    return false;
}

static enum coppice_io_result write_parts(struct coppice_connection *connection, const struct iovec *parts, int count,
                                          bool more_follows, size_t *sent) {
    return coppice_io_send(connection->fd, parts, count, more_follows, sent);
}

/* Nothing was sent before: it fits into the socket's buffer, or the client is not reading at all. */
static enum coppice_io_result write_interim(struct coppice_connection *connection, const char *bytes, size_t length,
                                            size_t *sent) {
    struct iovec part = {.iov_base = (char *)(uintptr_t)bytes, .iov_len = length};
    enum coppice_io_result result = coppice_io_send(connection->fd, &part, 1, false, sent);
    return result == COPPICE_IO_BLOCKED ? COPPICE_IO_DONE : result;
}

static enum coppice_io_result write_file(struct coppice_connection *connection, int file, off_t *offset,
                                         uint64_t length, size_t *sent, bool *supported) {
    size_t wanted = length < SSIZE_MAX ? (size_t)length : SSIZE_MAX;
    return coppice_io_send_file(connection->fd, file, offset, wanted, sent, supported);
}

static void finish(struct coppice_connection *connection, bool whole) {
    coppice_output_flush(connection);
}

/* Some clients send a stray line end after a body. To look for it costs a system call, so only requests with a body are
 * checked: behind a head without a body it was read along with the head. */
static bool stray_bytes(int fd) {
    char byte;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static bool unread_bytes(const struct coppice_connection *connection, int fd) {
    if (connection->body != COPPICE_BODY_READ || connection->input_position < connection->input.length) return true;
    return connection->head->has_content_length && connection->head->content_length > 0 && stray_bytes(fd);
}

/* While a copy of this process has the descriptor as well, its close ends nothing: but to connect it to nowhere resets
 * it, on Linux. A Unix socket knows no reset. */
static void reset_socket(const struct coppice_connection *connection, int fd) {
    struct linger hard = {.l_onoff = 1, .l_linger = 0};
    struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    if (!coppice_connection_copied(connection)) return;
    if (connect(fd, &nowhere, sizeof(nowhere)) < 0) shutdown(fd, SHUT_RDWR);
}

/* A client that may still be sending is left to the Lingering, so that it sees our answer and no reset. */
static void leave(struct coppice_connection *connection, bool reset) {
    int fd = connection->fd;
    bool own = !coppice_connection_foreign(connection);
    bool answered = connection->response_started && !connection->client_gone;
    bool lingers = !reset && answered && own && unread_bytes(connection, fd);
    coppice_connection_log(connection);
    coppice_connection_end(connection);
    if (lingers) {
        coppice_lingering_add(connection->lingering, fd);
        return;
    }
    if (own && reset) reset_socket(connection, fd);
    if (own && !reset && coppice_connection_copied(connection)) shutdown(fd, SHUT_RDWR); /* see reset_socket */
    close(fd);
}

static int take_over(struct coppice_connection *connection) {
    return 0;
}

const struct coppice_transport coppice_descriptor_transport = {
    .wait = wait_for_client,
    .credit_reader = credit_reader,
    .client_gone = client_gone,
    .begin_request = coppice_request_begin,
    .keeps = keeps,
    .write = write_parts,
    .write_interim = write_interim,
    .write_file = write_file,
    .finish = finish,
    .leave = leave,
    .take_over = take_over,
};
