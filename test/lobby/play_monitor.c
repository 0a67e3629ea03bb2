/* The monitor's part: starts the lobby, gives it seats, and hears what it says. */
#include "play.h"
#include "rings.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lobby/memory/counters.h"

int lobby_event_fd, listener_fd, log_fd = -1, loop_pid, keeper_pid;
struct coppice_lobby_requests *requests;
struct coppice_request_queue *queue;
struct seat seats[SEATS];
char bytes[LINE_BYTES];

static int channel_fd, lobby_channel_fd, requests_fd, queue_fd, board_fd;
static pid_t lobby_pid;
static _Atomic int64_t *board;

void die(const char *what) {
    perror(what);
    exit(2);
}

void send_packet(int fd, const char *text, size_t length, const int *descriptors, size_t count) {
    struct iovec part = {.iov_base = (char *)(uintptr_t)text, .iov_len = length};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(16 * sizeof(int))] = {0};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
    }
    if (sendmsg(fd, &message, MSG_NOSIGNAL) < 0) die("sendmsg");
}

void tell(const char *text) {
    send_packet(channel_fd, text, strlen(text), NULL, 0);
}

/* As the end of the monitor does. */
void hang_up(const struct words *words) {
    (void)words;
    if (shutdown(channel_fd, SHUT_RDWR) != 0) die("shutdown");
}

static void *map(int fd, bool writable) {
    struct stat stat;
    if (fstat(fd, &stat) != 0) die("fstat");
    void *memory = mmap(NULL, (size_t)stat.st_size, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) die("mmap");
    return memory;
}

/* The text of the next packet, in `bytes`. */
static ssize_t next_packet(void) {
    struct pollfd readable = {.fd = channel_fd, .events = POLLIN};
    if (bounded_poll(&readable, 1, EVENTS_MS) != 1) return -1;
    ssize_t length = recv(channel_fd, bytes, sizeof(bytes) - 1, 0);
    bytes[length > 0 ? length : 0] = '\0';
    return length;
}

void await(const char *start) {
    ssize_t length;
    while ((length = next_packet()) > 0) {
        sscanf(bytes, "registered loop %d", &loop_pid);
        sscanf(bytes, "registered keeper %d", &keeper_pid);
        if (strncmp(bytes, start, strlen(start)) != 0) continue;
        for (char *at = bytes; *at; at++) {
            if (*at == '\n') *at = '|';
        }
        printf("%s\n", bytes);
        return;
    }
    printf(length == 0 ? "end\n" : "nothing\n");
}

void start(const char *program, const char *settings) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) die("socketpair");
    channel_fd = pair[0];
    lobby_channel_fd = pair[1];
    requests_fd = memfd_create("requests", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    queue_fd = memfd_create("queue", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    board_fd = memfd_create("board", MFD_CLOEXEC);
    lobby_event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (ftruncate(board_fd, BOARD_CELLS * 8) != 0) die("ftruncate");
    board = map(board_fd, true);
    lobby_pid = fork();
    if (lobby_pid == 0) {
        char number[16];
        fcntl(lobby_channel_fd, F_SETFD, 0);
        snprintf(number, sizeof(number), "%d", lobby_channel_fd);
        execl(program, program, number, (char *)NULL);
        die("execl");
    }
    keeper_pid = lobby_pid;
    close(lobby_channel_fd);
    int length = snprintf(bytes, sizeof(bytes), "start 1\nboard_cells 0 %d\n%s", BOARD_CELLS / 2, settings);
    int descriptors[6] = {requests_fd, queue_fd, board_fd, lobby_event_fd};
    int count = 4;
    if (log_fd >= 0) descriptors[count++] = log_fd;
    descriptors[count++] = listener_fd;
    send_packet(channel_fd, bytes, (size_t)length, descriptors, (size_t)count);
    await("ready");
    requests = map(requests_fd, false);
    queue = map(queue_fd, true);
}

void tell_seat(unsigned number, size_t descriptors_count) {
    struct seat *seat = &seats[number];
    char text[256];
    int row = (BOARD_CELLS / 2 + (int)number * 2) * 8;
    int length = snprintf(text, sizeof(text), "seat %u\nslot %u\ngeneration 1\npid 0\ndeadline %d\nstarted %d\n",
                          number, number, row, row + 8);
    int descriptors[] = {seat->ring_fd, seat->event_fd, seat->lobby_socket_fd};
    send_packet(channel_fd, text, (size_t)length, descriptors, descriptors_count);
}

/* descriptors_count: 3, or as many as arrive. */
void make_seat(unsigned number, size_t descriptors_count) {
    struct seat *seat = &seats[number];
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) die("socketpair");
    seat->socket_fd = pair[0];
    seat->lobby_socket_fd = pair[1];
    seat->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    coppice_ring_writer_begin(&seat->writer, make_ring(&seat->ring_fd));
    tell_seat(number, descriptors_count);
}

/* Of this path: they come to the socket of that seat. */
void tell_handshakes(const struct words *words) {
    char text[300];
    int length = snprintf(text, sizeof(text), "handshakes %s", words->rest);
    send_packet(channel_fd, text, (size_t)length, &seats[words->seat].lobby_socket_fd, 1);
}

/* The lobby's end of the socket takes as few packets as the kernel allows. */
void narrow(const struct words *words) {
    int least = 0, fd = seats[words->seat].lobby_socket_fd;
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof(least)) != 0) die("setsockopt");
}

void leave(const struct words *words) {
    char text[600];
    struct seat *seat = &seats[words->seat];
    snprintf(text, sizeof(text), "gone %u %s", words->seat, words->rest);
    tell(text);
    coppice_answer_ring_unmap(seat->writer.ring);
    seat->writer.ring = NULL;
    close(seat->ring_fd);
    close(seat->event_fd);
    close(seat->socket_fd);
    close(seat->lobby_socket_fd);
}

void counter(const struct words *words) {
#define X(counted) #counted,
    static const char *const names[] = {COPPICE_LOBBY_COUNTERS(X)};
#undef X
    for (int i = 0; i < LOBBY_COUNTERS; i++) {
        if (strcmp(words->rest, names[i]) == 0) printf("%lld\n", (long long)atomic_load(&board[i]));
    }
}

void quit(void) {
    int status = 0;
    close(channel_fd);
    for (int i = 0; i < SEATS; i++) {
        if (!seats[i].writer.ring) continue;
        close(seats[i].socket_fd);
        close(seats[i].lobby_socket_fd);
    }
    while (waitpid(-1, &status, 0) > 0) continue;
    printf("%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

/* Deadline and start of the seat's request. */
void board_set(const struct words *words) {
    atomic_store(&board[BOARD_CELLS / 2 + words->seat * 2 + 1], (int64_t)words->second);
    atomic_store(&board[BOARD_CELLS / 2 + words->seat * 2], (int64_t)words->first);
}
