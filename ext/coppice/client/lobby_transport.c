/*
 * Coppice::Http::Connection, a client of the lobby: the answer goes into the seat's ring. Descriptors cross on the
 * seat's socket: see lobby_packets.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "client_wait.h"
#include "lobby_packets.h"
#include "lobby_seat.h"
#include "output.h"
#include "request.h"

enum {
    MAX_PARTS = 4,
    BYTES_AHEAD = 128 * 1024 /* of a client that is taken over */
};

static bool keeps(const struct coppice_connection *connection) {
    const struct coppice_lobby_seat *seat = connection->seat;
    return seat->keep && !atomic_load_explicit(&seat->queue->closing, memory_order_relaxed);
}

static bool gone(const struct coppice_connection *connection) {
    const struct coppice_lobby_slot *slot = connection->seat->slot;
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
    struct coppice_lobby_seat *seat = connection->seat;
    struct coppice_record record = {.type = COPPICE_RECORD_DATA, .serial = seat->serial};
    if (seat->head_sent) return record;
    seat->head_sent = true;
    record.type = COPPICE_RECORD_HEAD;
    record.flags = connection->framing.keep ? COPPICE_RECORD_KEEP : 0;
    record.status = (uint16_t)connection->framing.status;
    return record;
}

static enum coppice_io_result write_parts(struct coppice_connection *connection, const struct iovec *parts, int count,
                                          bool more_follows, size_t *sent) {
    struct coppice_lobby_seat *seat = connection->seat;
    size_t length = bytes_of(parts, count);
    size_t room = coppice_lobby_seat_room(seat);
    *sent = 0;
    if (!seat->slot || gone(connection)) return COPPICE_IO_CLOSED;
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

/* The ring may still be full of the answer to the request before. One that is too large for it is left out: a client can
 * do without. */
static enum coppice_io_result write_interim(struct coppice_connection *connection, const char *bytes, size_t length,
                                            size_t *sent) {
    struct coppice_lobby_seat *seat = connection->seat;
    struct coppice_record hints = {.type = COPPICE_RECORD_HINTS, .serial = seat->serial};
    struct iovec part = {.iov_base = (char *)(uintptr_t)bytes, .iov_len = length};
    if (!seat->slot || gone(connection)) return COPPICE_IO_CLOSED;
    *sent = length;
    if (length > COPPICE_LOBBY_WANTED_ROOM) return COPPICE_IO_DONE;
    bool fits = coppice_lobby_seat_room(seat) >= length;
    if (fits) coppice_ring_writer_append(&seat->writer, hints, &part, 1);
    coppice_lobby_seat_publish(seat);
    return fits ? COPPICE_IO_DONE : COPPICE_IO_BLOCKED;
}

/* The lobby sends the file itself, and answers for all of it: should it shrink, the lobby cuts the response. */
static enum coppice_io_result write_file(struct coppice_connection *connection, int file, off_t *offset,
                                         uint64_t length, size_t *sent, bool *supported) {
    struct coppice_lobby_seat *seat = connection->seat;
    struct coppice_record_file whole = {.offset = (uint64_t)*offset, .length = length};
    struct iovec part = {.iov_base = &whole, .iov_len = sizeof(whole)};
    *supported = true;
    if (!seat->slot || gone(connection)) return COPPICE_IO_CLOSED;
    if (coppice_lobby_seat_room(seat) < sizeof(whole)) {
        coppice_lobby_seat_publish(seat);
        return COPPICE_IO_BLOCKED;
    }
    *supported = coppice_lobby_send_packet(seat, COPPICE_LOBBY_FILE, file, connection->limits.client_write_timeout_ms);
    if (!*supported) return COPPICE_IO_DONE;
    coppice_ring_writer_append(&seat->writer, (struct coppice_record){.type = COPPICE_RECORD_FILE, .serial = seat->serial},
                               &part, 1);
    *sent = length;
    return COPPICE_IO_DONE;
}

static void end(struct coppice_connection *connection, uint8_t flags) {
    if (connection->seat->slot) coppice_lobby_seat_end(connection->seat, flags);
}

/* The lobby sees the last bytes and the end at once, so that it need not look twice. */
static void finish(struct coppice_connection *connection, bool whole) {
    if (connection->output.length > 0) coppice_output_cork(connection);
    end(connection, whole ? COPPICE_RECORD_WHOLE : 0);
}

/* The lobby has its client back; a process that was forked meanwhile only forgets it. */
static void leave(struct coppice_connection *connection, bool reset) {
    if (!coppice_connection_foreign(connection)) end(connection, reset ? COPPICE_RECORD_RESET : 0);
    coppice_connection_end(connection);
}

/* Answers whether the lobby gave what was asked for. */
static bool ask(struct coppice_connection *connection, uint32_t question, struct coppice_lobby_answer *answer,
                struct coppice_wait_budget *budget) {
    struct coppice_lobby_seat *seat = connection->seat;
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
    coppice_traffic_received(&connection->traffic, connection->seat->slot->body_length);
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

/* After EMFILE the client is still the lobby's, unless another thread took the last number meanwhile. */
static int take_over(struct coppice_connection *connection) {
    coppice_connection_check_own(connection);
    if (connection->sending) rb_raise(rb_eIOError, "another thread is writing to this client");
    if (!descriptor_available(connection->seat)) return EMFILE;
    coppice_byte_buffer_reserve(&connection->input, BYTES_AHEAD);
    struct coppice_lobby_answer answer = {
        .fd = -1,
        .bytes = connection->input.data + connection->input.length,
        .capacity = BYTES_AHEAD,
    };
    bool given = ask(connection, COPPICE_LOBBY_ASK_CLIENT, &answer, &connection->write_budget);
    end(connection, given ? COPPICE_RECORD_WHOLE : 0);
    if (!given) return answer.dropped ? EMFILE : ECONNRESET;
    connection->input.length += answer.length;
    connection->transport = &coppice_descriptor_transport;
    connection->fd = answer.fd;
    connection->seat = NULL;
    connection->family = family_of(answer.fd); /* not that of its address, which a proxy may have told */
    return 0;
}

static VALUE begin_unbuffered(struct coppice_connection *connection) {
    int error = take_over(connection);
    if (!error) return coppice_request_begin(connection);
    if (error == EMFILE) return coppice_request_refuse(connection, 507, "no descriptor is left for the client's socket");
    connection->client_gone = true;
    return Qnil;
}

/* The lobby has read the body and decoded its chunks. One that it has not read comes from the client's own socket. */
static VALUE begin_request(struct coppice_connection *connection) {
    const struct coppice_lobby_slot *slot = connection->seat->slot;
    if (slot->flags & COPPICE_LOBBY_UNBUFFERED) return begin_unbuffered(connection);
    bool some = slot->body_length > 0 || connection->head->chunked;
    connection->input_position = connection->head->length;
    connection->body_remaining = slot->body_length;
    connection->body = some ? COPPICE_BODY_LENGTH : COPPICE_BODY_READ;
    if (slot->flags & COPPICE_LOBBY_BODY_FILE) connection->body = COPPICE_BODY_FILE;
    coppice_wait_budget_reset(&connection->read_budget, connection->limits.client_body_timeout_ms);
    return Qtrue;
}

static bool wait_for_client(const struct coppice_connection *connection, short events, int64_t deadline_ms) {
    return coppice_lobby_seat_wait(connection->seat, events, deadline_ms);
}

/* A lobby sends what it keeps of an answer while the ring stays full: it knows alone how fast the client reads, and says
 * so when that is gone or was too slow. */
static void credit_reader(const struct coppice_connection *connection, struct coppice_wait_budget *budget) {
    if (coppice_lobby_seat_connected(connection->seat)) coppice_wait_budget_reset(budget, budget->pause_ms);
}

static bool client_gone(const struct coppice_connection *connection) {
    coppice_connection_check_own(connection);
    return gone(connection);
}

const struct coppice_transport coppice_lobby_transport = {
    .wait = wait_for_client,
    .credit_reader = credit_reader,
    .client_gone = client_gone,
    .begin_request = begin_request,
    .keeps = keeps,
    .write = write_parts,
    .write_interim = write_interim,
    .write_file = write_file,
    .finish = finish,
    .leave = leave,
    .take_over = take_over,
};
