/*
 * A library with a fork handler, preloaded into a Ruby. It is registered before any other, and so called last before the
 * copy is made. IN_HANDLER says what it does then: "thread" begins a thread and waits for its end; "fork" has another
 * thread fork, and waits for the end of that copy.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int asked[2], answered[2];

static void *end_at_once(void *nothing) {
    return nothing;
}

static void *fork_when_asked(void *nothing) {
    char byte;
    while (read(asked[0], &byte, 1) == 1) {
        pid_t copy = fork();
        if (copy == 0) _exit(0);
        waitpid(copy, NULL, 0);
        if (write(answered[1], &byte, 1) != 1) abort();
    }
    return nothing;
}

static pthread_t begin_thread(void *(*body)(void *)) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, NULL) != 0) abort();
    return thread;
}

/* The first fork begins the thread that forks in the others. */
static void have_another_fork(void) {
    static bool begun;
    char byte = 0;
    if (!begun) {
        begun = true;
        if (pipe(asked) < 0 || pipe(answered) < 0) abort();
        begin_thread(fork_when_asked);
        return;
    }
    if (write(asked[1], &byte, 1) != 1 || read(answered[0], &byte, 1) != 1) abort();
}

/* Of the thread's own fork as well. */
static void prepare(void) {
    static bool busy;
    if (busy) return;
    busy = true;
    if (strcmp(getenv("IN_HANDLER"), "fork") == 0) have_another_fork();
    else pthread_join(begin_thread(end_at_once), NULL);
    busy = false;
}

__attribute__((constructor)) static void begin(void) {
    pthread_atfork(prepare, NULL, NULL);
}
