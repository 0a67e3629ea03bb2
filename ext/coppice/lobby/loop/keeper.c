/*
 * The keeper waits for the loop's death, and makes the next loop: see keeper.h.
 *
 * No exec, so that the memory stays mapped, and no fork(3), since its handlers know nothing of a process with its
 * parent's descriptors. No PR_SET_PDEATHSIG: when the monitor dies, the loop still serves what has come.
 */
#include "keeper.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BACKOFF_MS = 50, BEAT_MS = 2000, TITLE_BYTES = 64 };

enum role { KEEPER = 1, LOOP = 2 };

/* What both processes know of each other. */
struct shared {
    int loop_fd, keeper_fd; /* pidfds */
    int failures;           /* loops in a row that did not settle */
    int status;
    bool finished; /* the loop has returned */
    _Atomic uint32_t beats; /* of the keeper */
};

static struct shared *shared;
static int channel;
static jmp_buf base; /* each new process goes on from here, so that the stack does not grow with each death */
static char *title;
static size_t title_bytes;

/* The arguments and, behind them, the environment: ps reads on if the last byte of the arguments is not 0. */
void lobby_title_begin(char **argv) {
    title = argv[0];
    char *end = title;
    for (char **word = argv; *word; word++) {
        if (*word == end) end += strlen(end) + 1;
    }
    for (char **word = environ; word && *word; word++) {
        if (*word == end) end += strlen(end) + 1;
    }
    title_bytes = (size_t)(end - title);
}

static void set_title(const char *text, const char *name) {
    prctl(PR_SET_NAME, name);
    if (title_bytes < TITLE_BYTES) return;
    static char *none[] = {NULL};
    environ = none;
    memset(title, 0, title_bytes);
    strncpy(title, text, title_bytes - 1);
}

static void tell_monitor(const char *format, int number) {
    char text[128];
    int length = snprintf(text, sizeof(text), format, number);
    send(channel, text, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* As fork, but with one descriptor table and one parent. The C library's note of the thread's ID is mended as fork does
 * it: abort(3) needs it. */
static long clone_process(int *pidfd) {
    unsigned long flags = LOBBY_CLONE_FLAGS;
    int *tid = NULL;
    if (prctl(PR_GET_TID_ADDRESS, &tid, 0, 0, 0) == 0 && tid) flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
#if defined(__x86_64__)
    return syscall(SYS_clone, flags, NULL, pidfd, tid, NULL);
#elif defined(__s390__)
    return syscall(SYS_clone, NULL, flags, pidfd, tid, NULL);
#else
    return syscall(SYS_clone, flags, NULL, pidfd, NULL, tid);
#endif
}

/* The other process may have been killed at any moment: the kernel fills `pidfd` before the new process runs. */
static bool make(enum role role, int *pidfd) {
    int old = *pidfd;
    *pidfd = -1;
    if (old >= 0) close(old);
    long pid = clone_process(pidfd);
    if (pid == 0) longjmp(base, (int)role);
    return pid > 0;
}

int lobby_keeper_fd(void) {
    return shared ? shared->keeper_fd : -1;
}

void lobby_keeper_renew(void) {
    int saved = errno;
    if (!make(KEEPER, &shared->keeper_fd)) tell_monitor("log error the lobby cannot make a keeper\nerrno %d\n", errno);
    errno = saved;
}

bool lobby_keeper_missing(void) {
    return shared && shared->keeper_fd < 0;
}

void lobby_loop_settled(void) {
    if (shared) shared->failures = 0;
}

uint32_t lobby_keeper_beats(void) {
    return shared ? shared->beats : 0;
}

static void wait_for_end(int pidfd) {
    struct pollfd ended = {.fd = pidfd, .events = POLLIN};
    int count;
    while ((count = poll(&ended, 1, BEAT_MS)) == 0 || (count < 0 && errno == EINTR)) shared->beats++;
}

static int keep(void) {
    set_title("coppice lobby keeper", "lobby keeper");
    tell_monitor("registered keeper %d", getpid());
    for (;;) {
        if (shared->loop_fd >= 0) wait_for_end(shared->loop_fd);
        if (shared->finished) return shared->status;
        if (++shared->failures >= LOBBY_FAILURES) return LOBBY_SPOILT_STATUS;
        if (shared->failures > 2) poll(NULL, 0, BACKOFF_MS * shared->failures);
        make(LOOP, &shared->loop_fd); /* where that fails, it is a failure like others */
    }
}

static _Noreturn void run_loop(int (*loop)(void *context), void *context) {
    set_title("coppice lobby", "coppice lobby");
    tell_monitor("registered loop %d", getpid());
    shared->status = loop(context);
    shared->finished = true;
    _exit(shared->status);
}

/* Answers whether this system has all that is needed. */
static bool prepare(void) {
    void *memory = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    shared = memory;
    shared->loop_fd = -1;
    shared->keeper_fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    return shared->keeper_fd >= 0 && make(LOOP, &shared->loop_fd);
}

/* Goes on without a keeper. */
static int loop_alone(int (*loop)(void *context), void *context) {
    tell_monitor("log warn the lobby has no keeper: its clients are lost if it dies\nerrno %d\n", errno);
    tell_monitor("registered loop %d", getpid());
    if (shared && shared->keeper_fd >= 0) close(shared->keeper_fd);
    shared = NULL;
    return loop(context);
}

int lobby_keep(int channel_fd, int (*loop)(void *context), void *context) {
    channel = channel_fd;
    switch (setjmp(base)) {
    case LOOP:
        run_loop(loop, context);
    case KEEPER: /* made by a loop */
        return keep();
    default:
        return prepare() ? keep() : loop_alone(loop, context);
    }
}
