#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client.h"
#include "clock.h"
#include "tally.h"

enum { PAUSE_AFTER_ERROR_MS = 5, RECEIVE_BYTES = 65536 };

static const struct options *options;
static int poller;

void clients_prepare(const struct options *asked, int epoll) {
    options = asked;
    poller = epoll;
}

void client_reset(struct client *client) {
    client->fd = -1;
    client->busy = false;
    client->resume_ns = 0;
}

static void disconnect(struct client *client) {
    close(client->fd); /* this also removes the descriptor from the epoll set */
    client->fd = -1;
}

static void fail(struct client *client, enum error kind) {
    tally_error(kind);
    disconnect(client);
    client->busy = false;
    client->resume_ns = clock_ns() + PAUSE_AFTER_ERROR_MS * 1000000ull; /* do not spin when the server is down */
}

static void succeed(struct client *client, bool kept) {
    tally_answer(clock_ns() - client->started_ns, client->answer.text, kept);
    if (!kept) disconnect(client);
    client->busy = false;
}

static void watch(struct client *client, uint32_t events) {
    struct epoll_event event = { .events = events | EPOLLET, .data.ptr = client };
    if (client->watched == events) return;
    if (epoll_ctl(poller, client->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, client->fd, &event) < 0) {
        perror("epoll_ctl");
        exit(2);
    }
    client->watched = events;
}

/* ---- the request ---- */

static bool whole_request_sent(const struct client *client) {
    return client->sent == client->head_length + request_body().length;
}

/* The part of the request that is still to be sent. */
static struct msghdr unsent(const struct client *client, struct iovec pieces[2]) {
    struct request_body body = request_body();
    size_t of_head = client->sent < client->head_length ? client->sent : client->head_length;
    size_t of_body = client->sent - of_head;

    pieces[0] = (struct iovec){ .iov_base = (char *)client->head + of_head, .iov_len = client->head_length - of_head };
    pieces[1] = (struct iovec){ .iov_base = (char *)body.bytes + of_body, .iov_len = body.length - of_body };
    return (struct msghdr){ .msg_iov = pieces, .msg_iovlen = 2 };
}

/* Sends at once: EAGAIN if the connection is not established yet. That saves a call to wait for it first. */
static void send_request(struct client *client) {
    while (!whole_request_sent(client)) {
        struct iovec pieces[2];
        struct msghdr message = unsent(client, pieces);
        ssize_t sent = sendmsg(client->fd, &message, MSG_NOSIGNAL);
        if (sent >= 0) client->sent += (size_t)sent;
        else if (errno == EAGAIN) break;
        else if (errno != EINTR) { fail(client, client->sent ? ERROR_RESET : ERROR_CONNECT); return; }
    }
    watch(client, whole_request_sent(client) ? EPOLLIN : EPOLLIN | EPOLLOUT);
}

static bool open_connection(struct client *client) {
    struct sockaddr_in server = { .sin_family = AF_INET, .sin_port = htons(options->port) };
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (client->fd < 0) {
        perror("socket");
        exit(2);
    }
    client->watched = 0;
    return connect(client->fd, (struct sockaddr *)&server, sizeof server) == 0 || errno == EINPROGRESS;
}

void client_begin(struct client *client, uint64_t number, uint64_t due_ns) {
    client->busy = true;
    client->sent = 0;
    client->head_length = request_head(client->head, number);
    answer_begin(&client->answer);
    client->started_ns = due_ns ? due_ns : clock_ns();
    if (client->fd < 0 && !open_connection(client)) fail(client, ERROR_CONNECT);
    else send_request(client);
}

/* ---- the answer ---- */

static void act_on(struct client *client, enum verdict verdict) {
    switch (verdict) {
    case VERDICT_MORE: return;
    case VERDICT_RESET: fail(client, ERROR_RESET); return;
    case VERDICT_STATUS: fail(client, ERROR_STATUS); return;
    case VERDICT_LENGTH: fail(client, ERROR_LENGTH); return;
    case VERDICT_WHOLE:
        /* Otherwise the response counts once the server has closed, because closing is part of its work. */
        if (options->keep_alive && !client->answer.closes && whole_request_sent(client)) succeed(client, true);
        return;
    }
}

static void ended(struct client *client) {
    enum verdict verdict = answer_end(&client->answer, options->length);
    if (verdict == VERDICT_WHOLE) succeed(client, false);
    else act_on(client, verdict);
}

/* The kernel discards bytes that need no check, without copying them, so long downloads cost little CPU here. */
static ssize_t receive_some(struct client *client, enum verdict *verdict) {
    static char buffer[RECEIVE_BYTES];
    size_t opaque = answer_opaque(&client->answer);
    ssize_t count = opaque > 0 ? recv(client->fd, NULL, opaque, MSG_TRUNC) : recv(client->fd, buffer, sizeof buffer, 0);

    if (count <= 0) return count;
    *verdict = opaque > 0 ? answer_skip(&client->answer, (size_t)count, options->length)
                          : answer_read(&client->answer, buffer, (size_t)count, options->length);
    return count;
}

static void receive(struct client *client) {
    while (client->busy) {
        enum verdict verdict = VERDICT_MORE;
        ssize_t count = receive_some(client, &verdict);
        if (count > 0) act_on(client, verdict);
        else if (count == 0) ended(client);
        else if (errno == EAGAIN) return;
        else if (errno != EINTR) fail(client, client->sent ? ERROR_RESET : ERROR_CONNECT);
    }
}

void client_events(struct client *client, uint32_t events) {
    if (!client->busy) {
        if (client->fd >= 0) disconnect(client); /* the server closed a kept-alive connection between two requests */
        return;
    }
    if ((events & EPOLLOUT) && !(events & EPOLLERR)) send_request(client);
    if (client->busy && (events & (EPOLLIN | EPOLLHUP | EPOLLERR))) receive(client);
}

void client_check_time(struct client *client, uint64_t now_ns) {
    if (!client->busy || now_ns < client->started_ns) return;
    if (now_ns - client->started_ns > (uint64_t)(options->timeout * 1e9)) fail(client, ERROR_TIMEOUT);
}
