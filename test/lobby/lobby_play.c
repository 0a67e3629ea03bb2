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

/* The words of a command: a seat, two numbers, and the text behind the seat. */
struct words {
    unsigned seat;
    unsigned long long first, second;
    char *rest;
};

static void obey_seat(const struct words *words) {
    make_seat(words->seat, 3);
    printf("ok\n");
}

/* Only so many of its descriptors arrive. */
static void obey_lost_seat(const struct words *words) {
    make_seat(words->seat, (size_t)words->first);
    printf("ok\n");
}

static void obey_seat_again(const struct words *words) {
    tell_seat(words->seat, (size_t)words->first);
    printf("ok\n");
}

static void obey_narrow(const struct words *words) {
    narrow(words->seat);
}

static void obey_gone(const struct words *words) {
    leave(words->seat, words->rest);
}

static void obey_deadline(const struct words *words) {
    board_set(words->seat, (long long)words->first, (long long)words->second);
}

/* A bar stands for the end of a line. */
static void obey_tell(const struct words *words) {
    char text[4096];
    snprintf(text, sizeof(text), "%s", words->rest);
    for (char *bar = text; (bar = strchr(bar, '|'));) *bar = '\n';
    tell(text);
    printf("ok\n");
}

static void obey_handshakes(const struct words *words) {
    tell_handshakes(words->seat, words->rest);
    printf("ok\n");
}

static void obey_hang_up(const struct words *words) {
    (void)words;
    hang_up();
    printf("ok\n");
}

static void obey_await(const struct words *words) {
    await(words->rest);
}

static void obey_counter(const struct words *words) {
    counter(words->rest);
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
    printf("%d\n", coppice_request_queue_worker_sleeps(queue, (uint16_t)words->seat));
}

static void obey_woken(const struct words *words) {
    (void)words;
    woken();
}

static void obey_record(const struct words *words) {
    record(words->seat, words->rest);
}

static void obey_publish(const struct words *words) {
    publish(words->seat);
    printf("ok\n");
}

static void obey_fill(const struct words *words) {
    fill(words->seat, (size_t)words->first, (unsigned)words->second);
}

static void obey_file(const struct words *words) {
    file(words->seat, words->rest);
}

static void obey_ask(const struct words *words) {
    ask(words->seat, (unsigned)words->first);
}

static void obey_take(const struct words *words) {
    take(words->seat);
}

static void obey_content(const struct words *words) {
    content(words->seat);
}

static void obey_write(const struct words *words) {
    size_t length = from_hex(words->rest);
    printf("%zd\n", write(seats[words->seat].received, bytes, length));
    close(seats[words->seat].received);
}

static void obey_client_gone(const struct words *words) {
    printf("%d\n", client_gone(words->seat));
}

static void obey_spoil(const struct words *words) {
    spoil(words->seat);
}

static void obey_scribble(const struct words *words) {
    scribble(words->seat);
}

/* Commands whose rest is no seat have a text. */
static const struct {
    const char *name;
    void (*obey)(const struct words *words);
    bool text;
} commands[] = {
    {"seat", obey_seat, false},         {"seat_again", obey_seat_again, false},
    {"gone", obey_gone, false},         {"deadline", obey_deadline, false},
    {"tell", obey_tell, true},          {"await", obey_await, true},
    {"counter", obey_counter, true},    {"loop_pid", obey_loop_pid, true},
    {"pop", obey_pop, false},           {"try_pop", obey_try_pop, false},
    {"sleep", obey_sleep, false},       {"woken", obey_woken, true},
    {"record", obey_record, false},     {"publish", obey_publish, false},
    {"fill", obey_fill, false},         {"file", obey_file, false},
    {"ask", obey_ask, false},           {"take", obey_take, false},
    {"content", obey_content, false},   {"write", obey_write, false},
    {"client_gone", obey_client_gone, false}, {"spoil", obey_spoil, false},
    {"scribble", obey_scribble, false}, {"lost_seat", obey_lost_seat, false},
    {"keeper_pid", obey_keeper_pid, true}, {"hang_up", obey_hang_up, true},
    {"narrow", obey_narrow, false},     {"handshakes", obey_handshakes, false},
};

static void obey(char *command) {
    struct words words = {.rest = command + strcspn(command, " ")};
    if (*words.rest) *words.rest++ = '\0';
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(command, commands[i].name) != 0) continue;
        if (!commands[i].text) {
            words.seat = (unsigned)strtoul(words.rest, &words.rest, 10);
            words.rest += *words.rest == ' ';
            sscanf(words.rest, "%llu %llu", &words.first, &words.second);
        }
        commands[i].obey(&words);
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
