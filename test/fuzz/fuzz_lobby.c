/*
 * libFuzzer: a lobby, its clients and a worker, all in this process. The input is a list of steps: bytes of clients, in
 * any pieces, records of the worker, good and bad, time, and deaths of the loop. Behind each list all clients leave and
 * every request is ended: then nothing may be in use any more.
 */

#include "shared/packets.h"
#include "shared/socket_io.h"

/* The loop's clock goes on only by steps of the input and by turns, so that each run is the same. Uploads rest for a
 * millisecond, until the next turn. */
static int64_t clock_us = 3600 * INT64_C(1000000);
static int64_t read_fuzz_clock(void) { return clock_us += 1000; }

#define coppice_monotonic_us read_fuzz_clock
#include "lobby/loop/clock.c"
#include "lobby/loop/loop.c" /* for one turn of the loop at a time */

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "rings.h"

enum { CLIENTS = 6, SLOTS = 8, BOARD_BYTES = 4096, MOST_STEPS = 400, FIRST_CLIENT_FD = 512 };

static struct coppice_lobby *lobby;
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static int clients[CLIENTS], requests_fd, queue_fd, worker_socket;
static struct coppice_ring_writer writer;
static uint64_t taken[SLOTS + 1]; /* requests that the worker has not ended */
static struct { const uint8_t *at, *end; } input;

static uint8_t next_byte(void) {
    return input.at < input.end ? *input.at++ : 0;
}

static const char *next_bytes(size_t *length) {
    *length = next_byte();
    size_t left = (size_t)(input.end - input.at);
    if (left < *length) *length = left;
    const char *bytes = (const char *)input.at;
    input.at += *length;
    return bytes;
}

#include "fuzz_lobby_worker.h"

/* The clients and the loop. */

/* A loop that follows a dead one closes the stream sockets that it does not know (strays.c). In this process these
 * would be the clients' own, so their numbers are far beyond those that it looks at. */
static void connect_client(uint8_t choice) {
    int *client = &clients[choice % CLIENTS], small = 4096;
    if (*client >= 0) return;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    *client = dup3(fd, FIRST_CLIENT_FD + choice % CLIENTS, O_CLOEXEC);
    CHECK(*client >= 0 && close(fd) == 0);
    if (choice & 64) setsockopt(*client, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    CHECK(connect(*client, (struct sockaddr *)&address, sizeof(address)) == 0);
}

static void send_bytes(void) {
    size_t length;
    int client = clients[next_byte() % CLIENTS];
    const char *bytes = next_bytes(&length);
    if (client >= 0) (void)send(client, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void send_filler(uint8_t choice) {
    static char bytes[64 * 1024];
    int client = clients[choice % CLIENTS];
    if (client >= 0) (void)send(client, bytes, (size_t)choice * 256, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void read_bytes(uint8_t choice) {
    static char waste[64 * 1024];
    int client = clients[choice % CLIENTS];
    if (client >= 0) (void)!recv(client, waste, sizeof(waste), MSG_DONTWAIT);
}

static void leave(int number) {
    if (clients[number] >= 0) CHECK(close(clients[number]) == 0); /* nobody else has closed it */
    clients[number] = -1;
}

static uint64_t bytes_in(void) {
    return (uint64_t)atomic_load(&lobby->counters[LOBBY_bytes_in]);
}

/* All events of a turn come before more of a body that goes to a file is read (uploads.c). */
static void handle_event(const struct epoll_event *event) {
    uint32_t index = (uint32_t)event->data.u64;
    bool of_client = event->data.u64 >> 56 == LOBBY_CONNECTION && index < lobby->connections_used;
    const struct lobby_connection *connection = of_client ? &lobby->connections[index] : NULL;
    bool upload = connection && connection->state == LOBBY_BODY && lobby_intake_of(lobby, connection)->file >= 0;
    uint64_t before = bytes_in();
    lobby_handle_event(lobby, event->data.u64, event->events);
    CHECK(!upload || bytes_in() == before);
}

static void turn(void) {
    struct epoll_event events[EVENTS];
    int count = epoll_wait(lobby->epoll_fd, events, EVENTS, 0);
    lobby_read_clock(lobby);
    for (int i = 0; i < count; i++) handle_event(&events[i]);
    lobby_settle_condemned(lobby);
    lobby_wake_workers(lobby);
    lobby_read_answers(lobby);
    lobby_read_uploads(lobby);
    lobby_wake_workers(lobby);
    lobby_expire(lobby);
    lobby_tick(lobby);
}

/* Answers the lobby's end of a connection, and has the client's, beyond the others. */
static int accepted(int *client, int number) {
    int pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0);
    *client = dup3(pair[1], FIRST_CLIENT_FD + CLIENTS + number, O_CLOEXEC);
    CHECK(*client >= 0 && close(pair[1]) == 0);
    return pair[0];
}

/* What a loop that is killed leaves to the next one: also a client that it had accepted and not noted, and one that it
 * had noted and nothing more. Both are closed. */
static void die(void) {
    int last[2];
    char byte;
    accepted(&last[0], 0);
    int fd = accepted(&last[1], 1);
    uint32_t index = lobby_record_take(lobby); /* or there is none left for it, and it is not noted either */
    if (index != LOBBY_NONE) lobby_open(lobby, lobby_index_of(lobby, lobby_take_in_hand(lobby, index)), fd);
    coppice_answer_ring_unmap(lobby_process.rings[0]);
    begin(lobby);
    for (int i = 0; i < 2; i++) CHECK(recv(last[i], &byte, 1, 0) == 0 && close(last[i]) == 0);
}

static void step(void) {
    static void (*const with_choice[])(uint8_t) = {connect_client, answer, read_bytes, send_file, send_filler};
    uint8_t kind = next_byte() % 18, choice;
    if (kind < 5) {
        with_choice[kind](next_byte());
    } else if (kind < 7) {
        send_bytes();
    } else if (kind == 7) {
        pop(true);
    } else if (kind == 8) {
        any_record();
    } else if (kind == 9) {
        choice = next_byte() % CLIENTS;
        if (clients[choice] >= 0) shutdown(clients[choice], SHUT_WR);
    } else if (kind == 10) {
        leave(next_byte() % CLIENTS);
    } else if (kind == 11) {
        clock_us += next_byte() * 50 * 1000;
    } else if (kind == 12) {
        choice = next_byte();
        send_packet(choice & 128 ? COPPICE_LOBBY_ASK_BODY : COPPICE_LOBBY_ASK_CLIENT, taken[any_taken(choice)], -1);
    } else if (kind == 13) {
        die();
    } else if (kind == 14) {
        writer.position += next_byte();
        publish();
    } else if (kind == 16) {
        change_service(next_byte());
    } else if (kind == 17) {
        change_heir(next_byte());
    } else {
        remove_seat(next_byte() & 1);
        make_seat();
    }
    turn();
}

static void end_all(void) {
    for (int i = 0; i < CLIENTS; i++) leave(i);
    for (int i = 0; i < 20; i++) {
        for (int pops = 0; pops < SLOTS; pops++) pop(true);
        for (int slot = 0; slot < SLOTS; slot++) {
            if (taken[slot]) end_request(slot, 0);
        }
        receive_packets();
        turn();
    }
    remove_seat(false);
    leave_service();
    for (int i = 0; i < 20; i++) {
        clock_us += 40 * 1000 * 1000;
        turn();
    }
    make_seat();
}

static int count_descriptors(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

static void check_nothing_is_used(int descriptors) {
    CHECK(lobby->open_connections == 0 && lobby->idle_connections == 0);
    CHECK(lobby->used_slots == 0);
    CHECK(lobby->small->used == 0 && lobby->large->used == 0);
    CHECK(lobby->outputs->used == 0 && lobby->blocks->used == 0);
    CHECK(lobby->file_bytes == 0 && lobby->spilled_bytes == 0);
    CHECK(count_descriptors() == descriptors);
}

static void start(void) {
    int channel[2], listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int board = memfd_create("board", MFD_CLOEXEC);
    struct lobby_settings settings = {
        .board_cells = BOARD_BYTES / 8, .slots = SLOTS, .max_connections = CLIENTS + 2, .max_waiting = SLOTS - 1,
        .keepalive_timeout_ms = 5000, .trusted_keepalive_timeout_ms = 5000, .client_header_timeout_ms = 3000,
        .client_body_timeout_ms = 3000, .client_write_timeout_ms = 3000, .queue_timeout_ms = 4000,
        .client_min_rate = 100, .head = {15 * 1024, 112 * 1024}, .max_header_count = 32, .max_body_bytes = 1 << 20,
        .retry_lost_requests = true, .request_buffering = true, .response_buffer = 64 * 1024,
        .buffer_disk_limit = 1 << 20, .listeners = 1};
    signal(SIGPIPE, SIG_IGN);
    snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "coppice-fuzz-%d", (int)getpid());
    CHECK(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(listener, 100) == 0);
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) == 0 && ftruncate(board, BOARD_BYTES) == 0);
    requests_fd = memfd_create("requests", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    queue_fd = memfd_create("queue", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int descriptors[] = {requests_fd, queue_fd, board, eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), listener};
    lobby = lobby_create(&settings, channel[0], descriptors);
    CHECK(lobby);
    for (int i = 0; i < CLIENTS; i++) clients[i] = -1;
    lobby->accepting = true;
    begin(lobby);
    make_seat();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!lobby) start();
    int descriptors = count_descriptors();
    input.at = data;
    input.end = data + size;
    for (int steps = 0; steps < MOST_STEPS && input.at < input.end; steps++) step();
    end_all();
    check_nothing_is_used(descriptors);
    return 0;
}
