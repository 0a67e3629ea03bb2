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

extern int lobby_event_fd, listener_fd, log_fd, loop_pid, keeper_pid; /* of those that have registered last */
extern struct coppice_lobby_requests *requests;
extern struct coppice_request_queue *queue;
extern struct seat seats[SEATS];
extern char bytes[LINE_BYTES];

/* play_monitor.c */
void die(const char *what);
void send_packet(int fd, const char *text, size_t length, const int *descriptors, size_t count);
void tell(const char *text);
void hang_up(void);
void await(const char *start);
void start(const char *program, const char *settings);
void tell_seat(unsigned number, size_t descriptors_count);
void make_seat(unsigned number, size_t descriptors_count);
void narrow(unsigned number);
void tell_handshakes(unsigned number, const char *path);
void leave(unsigned number, const char *how);
void counter(const char *name);
void quit(void);
void board_set(unsigned number, long long deadline, long long started);

/* play_worker.c */
void wait_event(struct seat *seat);
void pop(unsigned number, bool wait);
void publish(unsigned number);
size_t from_hex(const char *hex);
void record(unsigned number, const char *words);
void fill(unsigned number, size_t length, unsigned type);
void file(unsigned number, const char *words);
void ask(unsigned number, unsigned type);
void take(unsigned number);
void content(unsigned number);
void woken(void);
void scribble(unsigned kind);
int client_gone(unsigned number);
void spoil(unsigned number);

#endif
