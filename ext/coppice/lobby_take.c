/* Coppice::LobbySeat#pop_into: a request from the queue that all workers share, for a connection. */
#include "accept.h"
#include "coppice_ext.h"
#include "lobby_seat.h"

/* A slot that makes no sense ends without an answer. */
static bool take(VALUE self, struct coppice_lobby_seat *seat, uint32_t index, VALUE connection) {
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
static VALUE seat_pop_into(VALUE self, VALUE connection) {
    struct coppice_lobby_seat *seat = coppice_lobby_seat_get(self);
    if (seat->slot) rb_raise(rb_eIOError, "the last request of this seat has not ended");
    coppice_connection_check_vacant(connection);
    if (!coppice_lobby_seat_may_take(seat)) return Qfalse;
    int index = coppice_request_queue_pop(seat->queue, seat->number);
    if (index < 0 || (uint32_t)index >= seat->requests->slot_count) return Qfalse;
    return take(self, seat, (uint32_t)index, connection) ? Qtrue : Qfalse;
}

void Init_coppice_lobby_take(VALUE coppice) {
    VALUE klass = rb_define_class_under(coppice, "LobbySeat", rb_cObject);
    rb_define_method(klass, "pop_into", seat_pop_into, 1);
}
