/*
 * A small HTTP load generator: some clients in one thread, in a closed loop or an open one.
 *
 *   load PORT --clients N --requests N --seconds S [--timeout S] [--keep-alive] [--path /,/page/{n}] [--modulus M]
 *             [--rate R [--seed N]] [--header "Name: value"]... [--post FILE] [--length BYTES] [--bodies] [--each]
 *
 * Why not wrk or ab: wrk keeps its connections alive if the server allows it, so servers would be measured doing
 * different work. ab does not check HTTP/1.1 responses. Here each client sends one request, reads until the response
 * is complete, checks status and length, and only then sends the next request. Without --keep-alive it opens a new
 * connection for each request, sends `connection: close`, and a response is complete once the server has closed the
 * connection. With --keep-alive it uses a connection until the server closes it. It stops at the request count, at
 * the time limit or at SIGTERM, prints one line of JSON, and connects to 127.0.0.1 only. A request that takes longer
 * than --timeout seconds, 10 unless told, is an error.
 *
 * With --rate requests are due at random instants, R in a second on average (a Poisson process), whether the server
 * keeps up or not: an open loop. A request takes from the instant at which it was due, also while it waits for one of
 * the clients to be free. Requests that still wait for that at the end of the time are not sent.
 *
 * --post sends that file as the body of a POST. With several paths each request uses a pseudorandom one, the same in
 * every run. {n} in a path or a header is the number of the request, from 1 to M over and over.
 *
 * With --bodies it also prints "body <monotonic seconds> <text>" when it sees a body for the first time, and counts
 * each body. From this the other benchmarks learn which process has answered, and since when. With --each the line of
 * JSON has how long each answer took, so that several runs can be looked at as one.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "arrivals.h"
#include "client.h"
#include "clock.h"
#include "options.h"
#include "request.h"
#include "tally.h"

enum { TICK_NS = 20000000 }; /* interval between checks for timeouts and for the end */

static struct client clients[MAX_CLIENTS];
static volatile sig_atomic_t asked_to_stop;

static void stop(int signal) {
    (void)signal;
    asked_to_stop = 1;
}

/* Starts idle clients. Returns whether any client is active. */
static bool drive(const struct options *options, uint64_t deadline_ns, uint64_t *started) {
    uint64_t now_ns = clock_ns();
    bool more = now_ns < deadline_ns && !asked_to_stop;
    bool waiting = more && *started < options->requests;

    for (int i = 0; i < options->clients; i++) {
        struct client *client = &clients[i];
        client_check_time(client, now_ns);
        bool may_begin = more && !client->busy && now_ns >= client->resume_ns && now_ns >= arrivals_due();
        if (may_begin && *started < options->requests) {
            client_begin(client, ++*started, arrivals_due());
            arrivals_next();
        }
        waiting = waiting || client->busy;
    }
    return waiting;
}

/* Until the next request is due, if that is soon. If it was due already, it waits for a client, and so do we. */
static struct timespec time_to_wait(void) {
    uint64_t now_ns = clock_ns(), due_ns = arrivals_due();
    bool soon = due_ns > now_ns && due_ns - now_ns < TICK_NS;
    return (struct timespec){ .tv_nsec = soon ? (long)(due_ns - now_ns) : TICK_NS };
}

static void run(const struct options *options, int poller) {
    static struct epoll_event events[MAX_CLIENTS];
    uint64_t started = 0, deadline_ns = clock_ns() + (uint64_t)(options->seconds * 1e9);

    while (drive(options, deadline_ns, &started)) {
        struct timespec wait = time_to_wait();
        int count = epoll_pwait2(poller, events, MAX_CLIENTS, &wait, NULL);
        for (int i = 0; i < count; i++) client_events(events[i].data.ptr, events[i].events);
    }
}

int main(int argc, char **argv) {
    struct options options = options_parse(argc, argv);
    int poller = epoll_create1(EPOLL_CLOEXEC);
    if (poller < 0) {
        perror("epoll_create1");
        return 2;
    }
    request_prepare(&options);
    tally_prepare(&options);
    clients_prepare(&options, poller);
    for (int i = 0; i < MAX_CLIENTS; i++) client_reset(&clients[i]);
    signal(SIGTERM, stop);

    uint64_t began_ns = clock_ns();
    arrivals_prepare(&options, began_ns);
    run(&options, poller);
    tally_report((double)(clock_ns() - began_ns) / 1e9);
    return 0;
}
