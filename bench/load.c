/*
 * A small closed-loop HTTP load generator: a few clients, one thread, a new connection for each request.
 *
 *   load PORT --clients N --requests N --seconds S [--path /,/page/{n}] [--modulus M] [--length BYTES] [--bodies]
 *
 * Why not wrk or ab: wrk keeps its connections alive where the server lets it, so peers would be measured doing
 * different work; ab does not check the answers of HTTP/1.1. Here each client connects, sends one request that asks
 * for `connection: close`, reads until the server has closed, checks status and length, and only then begins again.
 * It stops at the count, at the time or at SIGTERM, whichever comes first, prints one line of JSON, and touches only
 * 127.0.0.1.
 *
 * Of several paths each request takes one as if by chance, but the same in every run; {n} is then the number of the
 * request, from 1 to M over and over.
 *
 * With --bodies it also tells the answers apart: "body <monotonic seconds> <text>" the first time each is seen, and
 * how often each came, at the end. That is how the other benchmarks learn which process has answered, and since when.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CLIENTS = 256, MAX_PATHS = 32, MAX_ANSWERS = 4000000, HEAD_BYTES = 32768, MAX_BODIES = 64, BODY_BYTES = 64 };
enum { REQUEST_TIMEOUT_MS = 10000, PAUSE_AFTER_ERROR_MS = 5, TICK_MS = 20 };

enum error { ERROR_CONNECT, ERROR_RESET, ERROR_STATUS, ERROR_LENGTH, ERROR_TIMEOUT, ERROR_KINDS };
static const char *const error_names[ERROR_KINDS] = { "connect", "reset", "status", "length", "timeout" };

struct client {
    int fd; /* -1 between two requests */
    bool sent;
    uint64_t started_ns, resume_ns;
    size_t received;      /* all bytes of the answer; only the first HEAD_BYTES are kept */
    char head[HEAD_BYTES + 1];
};

struct body { char text[BODY_BYTES]; uint64_t count; };

static struct {
    uint16_t port;
    int clients;
    uint64_t requests;
    double seconds;
    char *paths[MAX_PATHS];
    int path_count;
    uint64_t modulus;
    long length; /* -1: any */
    bool bodies;
} options = { .clients = 8, .requests = MAX_ANSWERS, .seconds = 5, .modulus = UINT32_MAX, .length = -1 };

static struct client clients[MAX_CLIENTS];
static struct body bodies[MAX_BODIES];
static uint32_t *latencies_us;
static uint64_t answered, started, errors[ERROR_KINDS];
static int body_kinds, poller;
static volatile sig_atomic_t asked_to_stop;

static void stop(int signal)
{
    (void)signal;
    asked_to_stop = 1;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void give_up(const char *what)
{
    perror(what);
    exit(2);
}

/* ---- one request ---- */

static void finish(struct client *c)
{
    close(c->fd); /* the descriptor leaves the epoll set with it */
    c->fd = -1;
}

static void fail(struct client *c, enum error kind)
{
    errors[kind]++;
    finish(c);
    c->resume_ns = now_ns() + PAUSE_AFTER_ERROR_MS * 1000000ull; /* a dead server must not make us spin */
}

static void begin(struct client *c)
{
    struct sockaddr_in server = { .sin_family = AF_INET, .sin_port = htons(options.port) };
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0) give_up("socket");
    c->sent = false;
    c->received = 0;
    c->started_ns = now_ns();
    started++;

    if (connect(c->fd, (struct sockaddr *)&server, sizeof server) < 0 && errno != EINPROGRESS) {
        fail(c, ERROR_CONNECT);
        return;
    }
    struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = c };
    if (epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &event) < 0) give_up("epoll_ctl");
}

static void send_request(struct client *c)
{
    char request[1024];
    /* Scattered, not in turn: with as many paths as workers, each worker would get one path for ever. */
    const char *path = options.paths[(started * 2654435761u >> 16) % (uint64_t)options.path_count];
    const char *mark = strstr(path, "{n}");
    int before = mark ? (int)(mark - path) : (int)strlen(path);
    char number[24] = "";
    if (mark) snprintf(number, sizeof number, "%llu", (unsigned long long)((started - 1) % options.modulus + 1));

    int length = snprintf(request, sizeof request,
                          "GET %.*s%s%s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAccept: */*\r\n\r\n",
                          before, path, number, mark ? mark + 3 : "");
    c->sent = true;
    if (send(c->fd, request, (size_t)length, MSG_NOSIGNAL) != length) fail(c, ERROR_CONNECT);
}

/* ---- one answer ---- */

static void note_body(const char *text, size_t length)
{
    char key[BODY_BYTES] = "";
    memcpy(key, text, length < BODY_BYTES ? length : BODY_BYTES - 1);
    key[strcspn(key, "\r\n\"\\")] = '\0';

    for (int i = 0; i < body_kinds; i++)
        if (strcmp(bodies[i].text, key) == 0) { bodies[i].count++; return; }
    if (body_kinds == MAX_BODIES) return;

    memcpy(bodies[body_kinds].text, key, BODY_BYTES);
    bodies[body_kinds++].count = 1;
    printf("body %.6f %s\n", (double)now_ns() / 1e9, key);
    fflush(stdout);
}

static long content_length(const char *head)
{
    const char *line = strcasestr(head, "\r\ncontent-length:");
    return line ? strtol(line + strlen("\r\ncontent-length:"), NULL, 10) : -1;
}

/* The server has closed: is what we have a whole answer, and the one that was asked for? */
static void judge(struct client *c)
{
    size_t kept = c->received < HEAD_BYTES ? c->received : HEAD_BYTES;
    c->head[kept] = '\0';
    char *end = strstr(c->head, "\r\n\r\n");
    if (c->received == 0 || end == NULL) { fail(c, ERROR_RESET); return; }

    const char *body = end + 4;
    long body_bytes = (long)c->received - (long)(body - c->head);
    *end = '\0';
    long promised = content_length(c->head);
    if (strncmp(c->head, "HTTP/1.1 200 ", 13) != 0) { fail(c, ERROR_STATUS); return; }
    if (promised >= 0 && promised != body_bytes) { fail(c, ERROR_LENGTH); return; }
    if (options.length >= 0 && options.length != body_bytes) { fail(c, ERROR_LENGTH); return; }

    if (options.bodies) note_body(body, kept - (size_t)(body - c->head));
    latencies_us[answered++] = (uint32_t)((now_ns() - c->started_ns) / 1000);
    finish(c);
}

static void receive(struct client *c)
{
    static char spill[65536]; /* the part of a long answer that is only counted */
    for (;;) {
        bool keep = c->received < HEAD_BYTES;
        ssize_t n = keep ? recv(c->fd, c->head + c->received, HEAD_BYTES - c->received, 0)
                         : recv(c->fd, spill, sizeof spill, 0);
        if (n > 0) { c->received += (size_t)n; continue; }
        if (n == 0) { judge(c); return; }
        if (errno == EAGAIN) return;
        if (errno != EINTR) { fail(c, c->sent ? ERROR_RESET : ERROR_CONNECT); return; }
    }
}

/* ---- the loop ---- */

static void run(void)
{
    uint64_t deadline = now_ns() + (uint64_t)(options.seconds * 1e9);
    for (;;) {
        uint64_t now = now_ns();
        bool more = now < deadline && started < options.requests && !asked_to_stop;
        int busy = 0;
        for (int i = 0; i < options.clients; i++) {
            struct client *c = &clients[i];
            if (c->fd < 0 && more && now >= c->resume_ns && started < options.requests) begin(c);
            if (c->fd >= 0 && now > c->started_ns && now - c->started_ns > REQUEST_TIMEOUT_MS * 1000000ull) fail(c, ERROR_TIMEOUT);
            busy += c->fd >= 0;
        }
        if (!more && busy == 0) return;

        struct epoll_event events[MAX_CLIENTS];
        int n = epoll_wait(poller, events, MAX_CLIENTS, TICK_MS);
        for (int i = 0; i < n; i++) {
            struct client *c = events[i].data.ptr;
            if (c->fd >= 0 && !c->sent && (events[i].events & EPOLLOUT) && !(events[i].events & EPOLLERR)) send_request(c);
            if (c->fd >= 0 && (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) receive(c);
        }
    }
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t percentile(double share)
{
    return answered ? latencies_us[(uint64_t)((double)(answered - 1) * share)] : 0;
}

static void report(double seconds)
{
    struct rusage own;
    getrusage(RUSAGE_SELF, &own);
    double cpu = (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) + (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec) / 1e6;
    qsort(latencies_us, answered, sizeof *latencies_us, ascending);

    printf("{\"answered\":%llu,\"seconds\":%.6f,\"client_cpu_seconds\":%.6f", (unsigned long long)answered, seconds, cpu);
    printf(",\"p50_us\":%u,\"p99_us\":%u,\"max_us\":%u,\"errors\":{", percentile(0.50), percentile(0.99), percentile(1));
    for (int i = 0; i < ERROR_KINDS; i++)
        printf("%s\"%s\":%llu", i ? "," : "", error_names[i], (unsigned long long)errors[i]);
    printf("},\"bodies\":{");
    for (int i = 0; i < body_kinds; i++)
        printf("%s\"%s\":%llu", i ? "," : "", bodies[i].text, (unsigned long long)bodies[i].count);
    printf("}}\n");
}

static void split_paths(char *list)
{
    for (char *path = strtok(list, ","); path && options.path_count < MAX_PATHS; path = strtok(NULL, ","))
        options.paths[options.path_count++] = path;
}

static void parse(int argc, char **argv)
{
    if (argc < 2) { fprintf(stderr, "usage: load PORT [options], see the top of load.c\n"); exit(2); }
    options.port = (uint16_t)atoi(argv[1]);
    for (int i = 2; i < argc; i++) {
        char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--bodies") == 0) { options.bodies = true; continue; }
        if (strcmp(argv[i], "--clients") == 0) options.clients = atoi(value);
        else if (strcmp(argv[i], "--requests") == 0) options.requests = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--seconds") == 0) options.seconds = atof(value);
        else if (strcmp(argv[i], "--path") == 0 && strlen(value) < 800) split_paths(value);
        else if (strcmp(argv[i], "--modulus") == 0) options.modulus = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--length") == 0) options.length = atol(value);
        else { fprintf(stderr, "load: unknown option %s\n", argv[i]); exit(2); }
        i++;
    }
    if (options.path_count == 0) options.paths[options.path_count++] = "/";
    if (options.clients < 1 || options.clients > MAX_CLIENTS || options.modulus == 0) { fprintf(stderr, "load: out of bounds\n"); exit(2); }
    if (options.requests > MAX_ANSWERS) options.requests = MAX_ANSWERS; /* the latencies are kept one by one */
}

int main(int argc, char **argv)
{
    parse(argc, argv);
    latencies_us = calloc(options.requests ? options.requests : 1, sizeof *latencies_us);
    poller = epoll_create1(EPOLL_CLOEXEC);
    if (latencies_us == NULL || poller < 0) give_up("load");
    for (int i = 0; i < options.clients; i++) clients[i].fd = -1;
    signal(SIGTERM, stop);

    uint64_t began = now_ns();
    run();
    report((double)(now_ns() - began) / 1e9);
    return 0;
}
