/*
 * Coppice::Http::Connection, a client of the lobby: the answer goes into the seat's ring. Descriptors cross on the
 * seat's socket: see lobby_packets.c.
 */
#include "lobby_exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "client_wait.h"
#include "lobby_packets.h"
#include "lobby_seat.h"

enum {
    MAX_PARTS = 4,
    BYTES_AHEAD = 128 * 1024 /* of a client that is taken over */
};

bool coppice_lobby_keeps(const struct coppice_connection *connection) {
    const struct coppice_lobby_seat *seat = connection->lobby;
    return seat->keep && !atomic_load_explicit(&seat->queue->closing, memory_order_relaxed);
}

bool coppice_lobby_client_gone(const struct coppice_connection *connection) {
    const struct coppice_lobby_slot *slot = connection->lobby->slot;
    return slot && atomic_load_explicit(&slot->client_gone, memory_order_relaxed);
}

static size_t bytes_of(const struct iovec *parts, int count) {
    size_t length = 0;
    for (int i = 0; i < count; i++) length += parts[i].iov_len;
    return length;
}

/* The beginning of the parts, as much as fits. */
static int first_parts(const struct iovec *parts, int count, size_t room, struct iovec *first) {
    int used = 0;
    for (; used < count && room > 0; used++) {
        first[used] = parts[used];
        if (first[used].iov_len > room) first[used].iov_len = room;
        room -= first[used].iov_len;
    }
    return used;
}

/* The first bytes of an answer, its head among them, make it known. */
static struct coppice_record data_record(struct coppice_connection *connection) {
    struct coppice_lobby_seat *seat = connection->lobby;
    struct coppice_record record = {.type = COPPICE_RECORD_DATA, .serial = seat->serial};
    if (seat->head_sent) return record;
    seat->head_sent = true;
    record.type = COPPICE_RECORD_HEAD;
    record.flags = connection->framing.keep ? COPPICE_RECORD_KEEP : 0;
    record.status = (uint16_t)connection->framing.status;
    return record;
}

enum coppice_io_result coppice_lobby_write(struct coppice_connection *connection, const struct iovec *parts, int count,
                                           bool more_follows, size_t *sent) {
    struct coppice_lobby_seat *seat = connection->lobby;
    size_t length = bytes_of(parts, count);
    size_t room = coppice_lobby_seat_room(seat);
    *sent = 0;
    if (!seat->slot || coppice_lobby_client_gone(connection)) return COPPICE_IO_CLOSED;
    if (room < length && room < COPPICE_LOBBY_WANTED_ROOM) {
        coppice_lobby_seat_publish(seat);
        return COPPICE_IO_BLOCKED;
    }
    struct iovec first[MAX_PARTS];
    *sent = length < room ? length : room;
    coppice_ring_writer_append(&seat->writer, data_record(connection), first, first_parts(parts, count, *sent, first));
    if (*sent < length || !more_follows) coppice_lobby_seat_publish(seat);
    return COPPICE_IO_DONE;
}

enum coppice_io_result coppice_lobby_write_interim(struct coppice_connection *connection, const char *bytes,
                                                   size_t length) {
    struct coppice_lobby_seat *seat = connection->lobby;
    struct coppice_record hints = {.type = COPPICE_RECORD_HINTS, .serial = seat->serial};
    struct iovec part = {.iov_base = (char *)bytes, .iov_len = length};
    if (!seat->slot || coppice_lobby_client_gone(connection)) return COPPICE_IO_CLOSED;
    if (length > COPPICE_LOBBY_WANTED_ROOM) return COPPICE_IO_DONE; /* a client can do without */
    bool fits = coppice_lobby_seat_room(seat) >= length;
    if (fits) coppice_ring_writer_append(&seat->writer, hints, &part, 1);
    coppice_lobby_seat_publish(seat);
    return fits ? COPPICE_IO_DONE : COPPICE_IO_BLOCKED;
}

enum coppice_io_result coppice_lobby_write_file(struct coppice_connection *connection, int file, uint64_t length,
                                                bool *supported) {
    struct coppice_lobby_seat *seat = connection->lobby;
    struct coppice_record_file whole = {.offset = 0, .length = length};
    struct iovec part = {.iov_base = &whole, .iov_len = sizeof(whole)};
    *supported = true;
    if (!seat->slot || coppice_lobby_client_gone(connection)) return COPPICE_IO_CLOSED;
    if (coppice_lobby_seat_room(seat) < sizeof(whole)) return COPPICE_IO_BLOCKED;
    *supported = coppice_lobby_send_packet(seat, COPPICE_LOBBY_FILE, file, connection->limits.write_timeout_ms);
    struct coppice_record record = {.type = COPPICE_RECORD_FILE, .serial = seat->serial};
    if (*supported) coppice_ring_writer_append(&seat->writer, record, &part, 1);
    return COPPICE_IO_DONE;
}

void coppice_lobby_end(struct coppice_connection *connection, uint8_t flags) {
    if (connection->lobby->slot) coppice_lobby_seat_end(connection->lobby, flags);
}

/* Answers whether the lobby gave what was asked for. */
static bool ask(struct coppice_connection *connection, uint32_t question, struct coppice_lobby_answer *answer,
                struct coppice_wait_budget *budget) {
    struct coppice_lobby_seat *seat = connection->lobby;
    if (!seat->slot || !coppice_lobby_send_packet(seat, question, -1, budget->pause_ms)) return false;
    for (;;) {
        switch (coppice_lobby_receive_packet(seat, answer)) {
        case COPPICE_IO_DONE:
            return answer->fd >= 0;
        case COPPICE_IO_BLOCKED:
            if (coppice_wait_for_client(connection, POLLIN, budget) == COPPICE_WAIT_READY) continue;
            return false;
        default:
            return false;
        }
    }
}

int coppice_lobby_body_file(struct coppice_connection *connection) {
    struct coppice_lobby_answer answer = {.fd = -1};
    if (!ask(connection, COPPICE_LOBBY_ASK_BODY, &answer, &connection->read_budget)) {
        if (answer.dropped) rb_syserr_fail(EMFILE, "the body's file");
        coppice_raise_client_gone(connection, "the lobby has no body of it");
    }
    connection->body = COPPICE_BODY_READ;
    coppice_traffic_received(&connection->traffic, connection->lobby->slot->body_length);
    if (lseek(answer.fd, 0, SEEK_SET) < 0) {
        int error = errno;
        close(answer.fd);
        rb_syserr_fail(error, "lseek");
    }
    return answer.fd;
}

static int family_of(int fd) {
    struct sockaddr_storage local = {.ss_family = AF_UNSPEC};
    socklen_t length = sizeof(local);
    getsockname(fd, (struct sockaddr *)&local, &length);
    return local.ss_family;
}

/* A descriptor that comes when no number is left for it is lost, and its client with it. Before, the client can still
 * be answered. Other failures say nothing of numbers. */
static bool descriptor_available(const struct coppice_lobby_seat *seat) {
    int fd = fcntl(seat->socket, F_DUPFD_CLOEXEC, 0);
    if (fd >= 0) close(fd);
    return fd >= 0 || errno != EMFILE;
}

int coppice_lobby_take_over(struct coppice_connection *connection) {
    if (!descriptor_available(connection->lobby)) return EMFILE;
    coppice_byte_buffer_reserve(&connection->input, BYTES_AHEAD);
    struct coppice_lobby_answer answer = {
        .fd = -1,
        .bytes = connection->input.data + connection->input.length,
        .capacity = BYTES_AHEAD,
    };
    bool given = ask(connection, COPPICE_LOBBY_ASK_CLIENT, &answer, &connection->write_budget);
    coppice_lobby_end(connection, given ? COPPICE_RECORD_WHOLE : 0);
    if (!given) return answer.dropped ? EMFILE : ECONNRESET;
    connection->input.length += answer.length;
    connection->fd = answer.fd;
    connection->lobby = NULL;
    connection->family = family_of(answer.fd); /* not that of its address, which a proxy may have told */
    return 0;
}
