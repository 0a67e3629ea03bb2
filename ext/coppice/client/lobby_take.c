/* Coppice::LobbySeat#pop_into: a request from the queue that all workers share, for a connection. */
#include "accept.h"
#include "coppice_ext.h"
#include "lobby_seat.h"
#include "shared/socket_io.h"

/* So long the heir leaves a request to others: while one is free, which may have to wait for a processor; and while all
 * are busy. */
enum { SPARED_BY_FREE_US = 1000 * 1000, SPARED_BY_BUSY_US = 10 * 1000 };

static bool spared_for_too_long(const struct coppice_lobby_seat *seat) {
    if (!seat->spared_since_us) return false;
    int64_t us = coppice_monotonic_us() - seat->spared_since_us;
    if (us < SPARED_BY_BUSY_US) return false;
    return us >= SPARED_BY_FREE_US || !coppice_request_queue_others_free(seat->queue, seat->number);
}

/* Between the end of a worker's sleep and its pop, the lobby sees a worker less, and not yet a request less: what it
 * then kept may be for another worker that sleeps. */
static int pop(struct coppice_lobby_seat *seat) {
    int index = coppice_request_queue_pop(seat->queue, seat->number, spared_for_too_long(seat));
    if (index >= 0 && seat->woken) coppice_lobby_seat_offer(seat);
    seat->woken = false;
    if (index != COPPICE_QUEUE_SPARED)
        seat->spared_since_us = 0;
    else if (!seat->spared_since_us)
        seat->spared_since_us = coppice_monotonic_us();
    return index;
}

/* A slot that makes no sense ends without an answer. */
static bool take(VALUE self, struct coppice_lobby_seat *seat, uint32_t index, struct coppice_connection *connection) {
    const struct coppice_lobby_slot *slot = coppice_lobby_slot_at(seat->requests, index);
    seat->slot = slot;
    seat->serial = slot->serial;
    seat->keep = slot->flags & COPPICE_LOBBY_KEEP;
    seat->head_sent = false;
    seat->started_us = 0;
    coppice_ring_writer_rewind(&seat->writer);
    bool fits = seat->requests->bytes_at + (uint64_t)slot->length <= seat->requests->slot_bytes;
    if (fits && coppice_connection_take_slot(connection, self, seat)) return true;
    coppice_lobby_seat_end(seat, 0);
    return false;
}

/* pop_into(connection) -> whether there was a request for it. No system call. */
static VALUE seat_pop_into(VALUE self, VALUE rb_connection) {
    struct coppice_lobby_seat *seat = coppice_lobby_seat_get(self);
    if (seat->slot) rb_raise(rb_eIOError, "the last request of this seat has not ended");
    struct coppice_connection *connection = coppice_connection_vacant(rb_connection);
    if (!coppice_lobby_seat_may_take(seat)) return Qfalse;
    int index = pop(seat);
    if (index < 0 || (uint32_t)index >= seat->requests->slot_count) return Qfalse;
    return take(self, seat, (uint32_t)index, connection) ? Qtrue : Qfalse;
}

/* awaited? -> whether a request waits that this worker may take. For one that sleeps it is one that others are to take:
 * it becomes this worker's soon if they do not, or uncovers another one, which nobody is woken for. */
static VALUE seat_awaited_p(VALUE self) {
    const struct coppice_lobby_seat *seat = coppice_lobby_seat_get(self);
    return coppice_lobby_seat_may_take(seat) && coppice_request_queue_waiting(seat->queue) > 0 ? Qtrue : Qfalse;
}

void Init_coppice_lobby_take(VALUE coppice) {
    VALUE klass = rb_define_class_under(coppice, "LobbySeat", rb_cObject);
    rb_define_method(klass, "pop_into", seat_pop_into, 1);
    rb_define_method(klass, "awaited?", seat_awaited_p, 0);
}
