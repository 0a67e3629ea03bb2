/*
 * Plays the monitor and the workers of a lobby, as a test tells it to: lines on standard input, one line of answer for
 * each. The clients are the test's own. lobby_play PROGRAM LISTENER_FD [LOG_FD]; settings come first, up to an empty
 * line.
 */
#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char line[LINE_BYTES];

static void obey_seat(const struct words *words) {
    make_seat(words->seat, 3);
}

/* Only so many of its descriptors arrive. */
static void obey_lost_seat(const struct words *words) {
    make_seat(words->seat, (size_t)words->first);
}

static void obey_seat_again(const struct words *words) {
    tell_seat(words->seat, (size_t)words->first);
}

/* A bar stands for the end of a line. */
static void obey_tell(const struct words *words) {
    char text[4096];
    snprintf(text, sizeof(text), "%s", words->rest);
    for (char *bar = text; (bar = strchr(bar, '|'));) *bar = '\n';
    tell(text);
}

static void obey_await(const struct words *words) {
    await(words->rest);
}

static void obey_loop_pid(const struct words *words) {
    (void)words;
    printf("%d\n", loop_pid);
}

static void obey_keeper_pid(const struct words *words) {
    (void)words;
    printf("%d\n", keeper_pid);
}

static void obey_pop(const struct words *words) {
    pop(words->seat, true);
}

static void obey_try_pop(const struct words *words) {
    pop(words->seat, false);
}

static void obey_sleep(const struct words *words) {
    printf("%d\n", fall_asleep(words->seat));
}

/* COPPICE_LOBBY_AWAKE and the like. */
static void obey_lobby_state(const struct words *words) {
    (void)words;
    printf("%u\n", atomic_load(&queue->lobby_state));
}

static void obey_publish(const struct words *words) {
    publish(words->seat);
}

static void obey_write(const struct words *words) {
    size_t length = from_hex(words->rest);
    printf("%zd\n", write(seats[words->seat].received, bytes, length));
    close(seats[words->seat].received);
}

/* What the rest of a command is, and whether it prints no answer of its own. */
enum { SEAT = 0, TEXT = 1, DONE = 2 };

static const struct {
    const char *name;
    void (*obey)(const struct words *words);
    int kind;
} commands[] = {
    {"seat", obey_seat, SEAT | DONE}, {"lost_seat", obey_lost_seat, SEAT | DONE},
    {"seat_again", obey_seat_again, SEAT | DONE}, {"gone", leave, SEAT | DONE}, {"deadline", board_set, SEAT | DONE},
    {"tell", obey_tell, TEXT | DONE}, {"await", obey_await, TEXT}, {"counter", counter, TEXT},
    {"loop_pid", obey_loop_pid, TEXT}, {"keeper_pid", obey_keeper_pid, TEXT}, {"pop", obey_pop, SEAT},
    {"try_pop", obey_try_pop, SEAT}, {"sleep", obey_sleep, SEAT}, {"woken", woken, TEXT},
    {"record", record, SEAT | DONE}, {"publish", obey_publish, SEAT | DONE}, {"fill", fill, SEAT | DONE},
    {"file", file, SEAT | DONE}, {"ask", ask, SEAT | DONE}, {"take", take, SEAT}, {"content", content, SEAT},
    {"write", obey_write, SEAT}, {"client_gone", client_gone, SEAT}, {"spoil", spoil, SEAT | DONE},
    {"scribble", scribble, SEAT | DONE}, {"hang_up", hang_up, TEXT | DONE}, {"narrow", narrow, SEAT | DONE},
    {"handshakes", tell_handshakes, SEAT | DONE}, {"lobby_state", obey_lobby_state, TEXT},
};

static void obey(char *command) {
    struct words words = {.rest = command + strcspn(command, " ")};
    if (*words.rest) *words.rest++ = '\0';
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(command, commands[i].name) != 0) continue;
        if (!(commands[i].kind & TEXT)) {
            words.seat = (unsigned)strtoul(words.rest, &words.rest, 10);
            words.rest += *words.rest == ' ';
            sscanf(words.rest, "%llu %llu", &words.first, &words.second);
        }
        commands[i].obey(&words);
        if (commands[i].kind & DONE) printf("ok\n");
        return;
    }
    printf("unknown: %s\n", command);
}

int main(int argc, char **argv) {
    static char settings[16 * 1024];
    if (argc < 3) return 2;
    if (argc > 3) log_fd = atoi(argv[3]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    listener_fd = atoi(argv[2]);
    while (fgets(line, sizeof(line), stdin) && line[0] != '\n') strcat(settings, line);
    start(argv[1], settings);
    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, "quit") == 0) {
            quit();
            return 0;
        }
        obey(line);
    }
    return 0;
}
