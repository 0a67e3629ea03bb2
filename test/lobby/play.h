#ifndef COPPICE_TEST_PLAY_H
#define COPPICE_TEST_PLAY_H

/* What the files of lobby_play share: the monitor's part, and the workers'. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/answer_ring.h"
#include "shared/lobby_memory.h"
#include "shared/request_queue.h"

enum { SEATS = 8, BOARD_CELLS = 512, LINE_BYTES = 1024 * 1024, EVENTS_MS = 40 * 1000 };

struct seat {
    int ring_fd, event_fd, socket_fd, lobby_socket_fd;
    struct coppice_ring_writer writer;
    uint32_t slot;
    uint64_t serial;
    int received; /* the last descriptor from the lobby */
};

/* The words of a command: a seat, two numbers, and the text behind the seat. */
struct words {
    unsigned seat;
    unsigned long long first, second;
    char *rest;
};

extern int lobby_event_fd, listener_fd, log_fd, loop_pid, keeper_pid; /* of those that have registered last */
extern struct coppice_lobby_requests *requests;
extern struct coppice_request_queue *queue;
extern struct seat seats[SEATS];
extern char bytes[LINE_BYTES];

/* play_monitor.c */
void die(const char *what);
void send_packet(int fd, const char *text, size_t length, const int *descriptors, size_t count);
void tell(const char *text);
void await(const char *start);
void start(const char *program, const char *settings);
void tell_seat(unsigned number, size_t descriptors_count);
void make_seat(unsigned number, size_t descriptors_count);
void quit(void);
void hang_up(const struct words *words);
void narrow(const struct words *words);
void tell_handshakes(const struct words *words);
void leave(const struct words *words);
void counter(const struct words *words);
void board_set(const struct words *words);

/* play_worker.c */
void pop(unsigned number, bool wait);
void publish(unsigned number);
bool fall_asleep(unsigned number);
size_t from_hex(const char *hex);
void record(const struct words *words);
void fill(const struct words *words);
void file(const struct words *words);
void ask(const struct words *words);
void take(const struct words *words);
void content(const struct words *words);
void woken(const struct words *words);
void scribble(const struct words *words);
void client_gone(const struct words *words);
void spoil(const struct words *words);

#endif
