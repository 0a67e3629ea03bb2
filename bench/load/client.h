/* One client: connects, sends a request, reads the answer, and tells the tally how it went. */
#ifndef LOAD_CLIENT_H
#define LOAD_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answer.h"
#include "options.h"
#include "request.h"

struct client {
    int fd;    /* -1: no connection */
    bool busy; /* with a request */
    uint32_t watched;               /* events that the poller looks out for */
    uint64_t started_ns, resume_ns; /* of this request; not before which the next one begins */
    char head[REQUEST_HEAD_BYTES];
    size_t head_length, sent; /* sent: of head and body together */
    struct answer answer;
};

/* Once, before all else. `poller` is an epoll instance, where a client is found as data.ptr. */
void clients_prepare(const struct options *options, int poller);

void client_reset(struct client *client);

/* Begins the n-th request of all. Its time counts from the instant at which it was due; 0: from now. */
void client_begin(struct client *client, uint64_t number, uint64_t due_ns);

/* What epoll has seen. */
void client_events(struct client *client, uint32_t events);

/* Gives up a request that takes too long. */
void client_check_time(struct client *client, uint64_t now_ns);

#endif
