#include "client_wait.h"

#include <poll.h>
#include <ruby.h>

#include "connection.h"
#include "shared/socket_io.h"

/* Moves the application's deadline. The object does nothing before the application is called. */
static void postpone(const struct coppice_connection *connection, int64_t ms) {
    if (!NIL_P(connection->deadline)) rb_funcall(connection->deadline, rb_intern("postpone"), 1, LL2NUM(ms));
}

struct slice {
    struct coppice_connection *connection;
    unsigned serial;
    struct coppice_wait_budget *budget;
    short events;
    int64_t length_ms;
    int64_t began_ms;
    int64_t waited_ms;
    bool ready;
};

static VALUE wait_slice(VALUE pointer) {
    struct slice *slice = (struct slice *)pointer;
    struct coppice_connection *connection = slice->connection;
    int64_t deadline_ms = slice->began_ms + slice->length_ms;
    slice->ready = connection->transport->wait(connection, slice->events, deadline_ms);
    return Qnil;
}

static bool client_stayed(const struct slice *slice) {
    return slice->connection->serial == slice->serial;
}

/* Other threads have run: the descriptor may be the next client's by now, and so the budget and the deadline. */
static void check_client_stayed(const struct slice *slice) {
    if (!client_stayed(slice)) rb_raise(rb_eIOError, "the client that this was meant for is gone");
}

/* Also when an exception ends the wait. Time beyond the slice was not the client's: other threads had the lock. */
static VALUE end_slice(VALUE pointer) {
    struct slice *slice = (struct slice *)pointer;
    if (!client_stayed(slice)) return Qnil;
    int64_t passed_ms = coppice_monotonic_ms() - slice->began_ms;
    slice->waited_ms = passed_ms < slice->length_ms ? passed_ms : slice->length_ms;
    slice->budget->waiting = false;
    postpone(slice->connection, slice->waited_ms - slice->length_ms);
    return Qnil;
}

static void credit(const struct coppice_connection *connection, short events, struct coppice_wait_budget *budget) {
    if (events == POLLOUT) connection->transport->credit_reader(connection, budget);
}

enum coppice_wait_result coppice_wait_for_client(struct coppice_connection *connection, short events,
                                                 struct coppice_wait_budget *budget) {
    coppice_wait_budget_begin(budget);
    credit(connection, events, budget);
    int64_t slice_ms;
    while ((slice_ms = coppice_wait_budget_slice_ms(budget)) > 0) {
        struct slice slice = {
            .connection = connection,
            .serial = connection->serial,
            .budget = budget,
            .events = events,
            .length_ms = slice_ms,
            .began_ms = coppice_monotonic_ms(),
        };
        postpone(connection, slice.length_ms);
        check_client_stayed(&slice);
        budget->waiting = true;
        rb_ensure(wait_slice, (VALUE)&slice, end_slice, (VALUE)&slice);
        check_client_stayed(&slice);
        coppice_wait_budget_spend(budget, slice.waited_ms);
        if (slice.ready) return COPPICE_WAIT_READY;
        credit(connection, events, budget);
    }
    return coppice_wait_budget_verdict(budget);
}
