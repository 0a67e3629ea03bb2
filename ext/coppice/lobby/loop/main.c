/*
 * coppice-lobby FD: started by the monitor with one descriptor, its channel. Reads `start` from it, maps what the lobby
 * and the workers share, and becomes the keeper, which makes the loop.
 *
 * coppice-lobby --counters prints what it counts, for the board's columns.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "keeper.h"
#include "loop.h"
#include "sandbox.h"
#include "shared/packets.h"

enum { USAGE = 64, PACKET_BYTES = 64 * 1024 };

static int print_counters(void) {
#define X(name) #name,
    static const char *const names[] = {COPPICE_LOBBY_COUNTERS(X)};
#undef X
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) puts(names[i]);
    return 0;
}

static int fail(int channel_fd, const char *message, const char *detail) {
    char text[512];
    snprintf(text, sizeof(text), "log error %s\ndetail %s\n", message, detail);
    lobby_tell(channel_fd, text);
    fprintf(stderr, "coppice-lobby: %s: %s\n", message, detail);
    return USAGE;
}

/* The monitor may be slow, but sends this first. */
static ssize_t receive_start(int channel_fd, char *text, int *descriptors, int *count) {
    struct pollfd readable = {.fd = channel_fd, .events = POLLIN};
    struct iovec part = {.iov_base = text, .iov_len = PACKET_BYTES - 1};
    while (poll(&readable, 1, -1) < 0 && errno == EINTR) continue;
    return coppice_packet_receive(channel_fd, &part, 1, descriptors, COPPICE_PACKET_DESCRIPTORS, count);
}

/* The end of the channel ends the lobby: a signal that was meant for the monitor or for all processes must neither end
 * nor stop it. Nor must a write beyond the limit of file sizes, which fails. Nothing inherits this: no program is run.
 * What the kernel sends for a fault ends the process as ever. */
static void ignore_signals(void) {
    for (int number = 1; number <= SIGRTMAX; number++) {
        switch (number) {
        case SIGILL:
        case SIGTRAP:
        case SIGABRT:
        case SIGBUS:
        case SIGFPE:
        case SIGSEGV:
        case SIGSYS:
            continue;
        default:
            signal(number, SIG_IGN);
        }
    }
}

/* As many clients as the system allows. */
static void raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* The keeper and each loop inherit it. A sanitizer's report needs calls of its own. */
static void enter_sandbox(const struct coppice_lobby *lobby) {
#ifdef __SANITIZE_ADDRESS__
    (void)lobby;
#else
    int error = lobby_sandbox(lobby->directory_fd);
    if (error) lobby_log(lobby, LOBBY_WARN, "the lobby runs without a sandbox: %s", strerror(error));
#endif
}

static int run(int channel_fd) {
    static char text[PACKET_BYTES];
    static struct lobby_settings settings;
    int descriptors[COPPICE_PACKET_DESCRIPTORS], count = 0;
    ssize_t length = receive_start(channel_fd, text, descriptors, &count);
    if (length <= 0) return 0; /* the monitor is gone */
    text[length] = '\0';
    char *lines = strchr(text, '\n');
    if (strncmp(text, "start 1\n", 8) != 0) return fail(channel_fd, "the lobby expected start 1", text);
    const char *wrong = lobby_settings_read(&settings, lines + 1);
    if (wrong) return fail(channel_fd, "a setting of the lobby is wrong", wrong);
    int wanted = 4 + settings.access_log + (int)settings.listeners;
    if (count != wanted) return fail(channel_fd, "the lobby got a wrong number of descriptors", "");
    struct coppice_lobby *lobby = lobby_create(&settings, channel_fd, descriptors);
    if (!lobby) return 71;
    enter_sandbox(lobby);
    return lobby_keep(channel_fd, coppice_lobby_loop, lobby);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--counters") == 0) return print_counters();
    char *end = NULL;
    long channel_fd = argc == 2 ? strtol(argv[1], &end, 10) : -1;
    if (argc != 2 || *end != '\0' || channel_fd < 0) {
        fprintf(stderr, "usage: coppice-lobby FD | --counters\n");
        return USAGE;
    }
    lobby_title_begin(argv);
    ignore_signals();
    raise_descriptor_limit();
    return run((int)channel_fd);
}
