#include "patience.h"

#include <poll.h>
#include <sys/ioctl.h>

#include "connection.h"
#include "socket_io.h"

/* The deadline is moved ahead of each wait, by no more than this: whoever watches it meanwhile is never far wrong. */
enum { SLICE_MS = 500, US_PER_MS = 1000, US_PER_SECOND = 1000000 };

void coppice_patience_begin(struct coppice_patience *patience, int64_t pause_ms) {
    patience->pause_ms = pause_ms;
    patience->left_us = pause_ms * US_PER_MS;
    patience->sent = patience->queued = 0;
    patience->waiting = false;
}

void coppice_patience_earn(struct coppice_patience *patience, size_t bytes, int64_t bytes_per_second) {
    const int64_t most_us = INT64_MAX / 2;
    if (bytes_per_second == 0 || bytes > (size_t)(most_us / US_PER_SECOND)) {
        patience->left_us = most_us;
        return;
    }
    int64_t earned_us = (int64_t)bytes * US_PER_SECOND / bytes_per_second;
    patience->left_us = patience->left_us > most_us - earned_us ? most_us : patience->left_us + earned_us;
}

/* Moves the application's deadline, for time that goes to its client. Before it is called there is none: the object does
 * nothing then. */
static void postpone(const struct coppice_connection *connection, int64_t ms) {
    if (!NIL_P(connection->deadline)) rb_funcall(connection->deadline, rb_intern("postpone"), 1, LL2NUM(ms));
}

static int64_t shorter(int64_t one, int64_t other) {
    return one < other ? one : other;
}

struct slice {
    const struct coppice_connection *connection;
    unsigned serial;
    struct coppice_patience *patience;
    short events;
    int64_t length_ms;
    int64_t began_ms;
    int64_t waited_ms;
    bool ready;
};

static VALUE wait_slice(VALUE pointer) {
    struct slice *slice = (struct slice *)pointer;
    slice->ready = coppice_io_wait(slice->connection->fd, slice->events, slice->began_ms + slice->length_ms) == COPPICE_IO_DONE;
    return Qnil;
}

static bool client_stayed(const struct slice *slice) {
    return slice->connection->serial == slice->serial;
}

/* Other threads have run: the descriptor may be the next client's by now, and so the patience and the deadline. */
static void check_client_stayed(const struct slice *slice) {
    if (!client_stayed(slice)) rb_raise(rb_eIOError, "the client that this was meant for is gone");
}

/* Also when an exception comes into the wait. What is longer than the slice was not the client's: others had the lock. */
static VALUE end_slice(VALUE pointer) {
    struct slice *slice = (struct slice *)pointer;
    if (!client_stayed(slice)) return Qnil;
    slice->patience->waiting = false;
    slice->waited_ms = shorter(coppice_monotonic_ms() - slice->began_ms, slice->length_ms);
    postpone(slice->connection, slice->waited_ms - slice->length_ms);
    return Qnil;
}

/* Bytes that the kernel keeps for the client; poll(2) calls a socket writable only when a good part of them has gone. */
static int queued_bytes(const struct coppice_connection *connection) {
    int count;
    return ioctl(connection->fd, TIOCOUTQ, &count) == 0 ? count : 0;
}

/*
 * Credits a client that is to read with what it took since the last look: what was sent, less what the kernel still
 * keeps for it, which may be megabytes. Answers whether that was anything. A Unix socket counts more in its queue than
 * was sent, so the difference may be negative.
 */
static bool credit_reader(struct coppice_connection *connection, short events, struct coppice_patience *patience) {
    if (events != POLLOUT) return false;
    int queued = queued_bytes(connection);
    int64_t taken = patience->sent + patience->queued - queued;
    patience->sent = 0;
    patience->queued = queued;
    coppice_patience_earn(patience, taken > 0 ? (size_t)taken : 0, connection->limits.min_rate);
    return taken > 0;
}

enum coppice_wait_result coppice_patience_wait(struct coppice_connection *connection, short events,
                                               struct coppice_patience *patience) {
    int64_t pause_ms = patience->pause_ms;
    credit_reader(connection, events, patience);
    while (pause_ms > 0) {
        int64_t left_ms = patience->left_us / US_PER_MS;
        if (left_ms <= 0) return COPPICE_WAIT_SLOW;

        struct slice slice = {.connection = connection, .serial = connection->serial, .patience = patience, .events = events,
                              .length_ms = shorter(SLICE_MS, shorter(pause_ms, left_ms)), .began_ms = coppice_monotonic_ms()};
        postpone(connection, slice.length_ms);
        check_client_stayed(&slice);
        patience->waiting = true;
        rb_ensure(wait_slice, (VALUE)&slice, end_slice, (VALUE)&slice);
        check_client_stayed(&slice);
        patience->left_us -= slice.waited_ms * US_PER_MS;
        if (slice.ready) return COPPICE_WAIT_READY;
        pause_ms = credit_reader(connection, events, patience) ? patience->pause_ms : pause_ms - slice.waited_ms;
    }
    return COPPICE_WAIT_PAUSED;
}
