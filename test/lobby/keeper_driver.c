/*
 * keeper_driver FD [sandboxed|fail]: a keeper and loops that only count. Each loop tells "serving COUNT", COUNT being
 * how many loops there were, and checks what the ones before it have left. "fail": each loop dies at its start.
 */

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "lobby/loop/keeper.h"
#include "lobby/loop/sandbox.h"

const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    /* Leaks are looked for with ptrace. Fake stack frames, which GCC 14 turns on, are no place on the stack. */
    return "detect_leaks=0:detect_stack_use_after_return=0";
}

enum { LOOPS = 1000 };

struct arena {
    struct arena *address;
    int channel_fd;
    int count;
    int files[LOOPS];
    bool fail;
};

static char *deepest; /* where the stack of a loop begins */

static void leave_file(struct arena *arena) {
    CHECK(arena->count < LOOPS);
    int file = memfd_create("of a loop", MFD_CLOEXEC);
    CHECK(file >= 0 && write(file, &arena->count, sizeof(arena->count)) == sizeof(arena->count));
    arena->files[arena->count++] = file;
}

static void check_files(const struct arena *arena) {
    for (int i = 0; i < arena->count; i++) {
        int content = -1;
        CHECK(pread(arena->files[i], &content, sizeof(content), 0) == sizeof(content) && content == i);
    }
}

static void say(const struct arena *arena, const char *word) {
    char text[64];
    int length = snprintf(text, sizeof(text), "%s %d", word, arena->count);
    CHECK(send(arena->channel_fd, text, (size_t)length, MSG_NOSIGNAL) == length);
}

static int loop(void *context) {
    struct arena *arena = context;
    char here;
    if (!deepest) deepest = &here;
    CHECK(deepest == &here && arena->address == arena);
    if (arena->fail) {
        arena->count++;
        _exit(1);
    }
    check_files(arena);
    leave_file(arena);
    lobby_loop_settled();
    say(arena, "serving");
    for (;;) {
        struct pollfd fds[2] = {{.fd = lobby_keeper_fd(), .events = POLLIN}, {.fd = arena->channel_fd, .events = POLLIN}};
        CHECK(poll(fds, 2, -1) > 0);
        if (fds[0].revents) lobby_keeper_renew();
        if (fds[1].revents) return 3;
    }
}

int main(int count, char **arguments) {
    CHECK(count > 1);
    struct arena *arena = mmap(NULL, sizeof(*arena), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(arena != MAP_FAILED);
    arena->address = arena;
    arena->channel_fd = atoi(arguments[1]);
    arena->fail = count > 2 && strcmp(arguments[2], "fail") == 0;
    lobby_title_begin(arguments);
    if (count > 2 && strcmp(arguments[2], "sandboxed") == 0) lobby_sandbox(-1); /* or not, where it is refused */
    int status = lobby_keep(arena->channel_fd, loop, arena);
    if (arena->fail) printf("%d loops\n", arena->count);
    return status;
}
