/*
 * Coppice::TestLobby::Memory: the lobby's side of the shared memory, for tests: it writes requests, reads rings and
 * knows no sockets. One seat. test/support/test_lobby.rb builds it and serves clients with it.
 */
#include <ruby.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared/answer_ring.h"
#include "http/http.h"
#include "shared/lobby_memory.h"
#include "shared/request_queue.h"

enum { FIELDS = 128, SLOTS = 64, SEAT = 3 };

struct memory {
    int requests_fd, queue_fd, ring_fd, worker_eventfd, lobby_eventfd;
    struct coppice_lobby_requests *requests;
    struct coppice_request_queue *queue;
    struct coppice_ring_reader reader;
    uint64_t serial;
    uint32_t next_slot;
};

void Init_test_lobby(void);

static void close_descriptors(struct memory *memory) {
    int *all[] = {&memory->requests_fd, &memory->queue_fd, &memory->ring_fd, &memory->worker_eventfd,
                  &memory->lobby_eventfd};
    for (int i = 0; i < 5; i++) {
        if (*all[i] >= 0) close(*all[i]);
        *all[i] = -1;
    }
}

static void memory_free(void *pointer) {
    close_descriptors(pointer);
    ruby_xfree(pointer);
}

static const rb_data_type_t memory_type = {
    .wrap_struct_name = "Coppice::TestLobby::Memory",
    .function = {.dfree = memory_free},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static struct memory *get(VALUE self) {
    struct memory *memory;
    TypedData_Get_Struct(self, struct memory, &memory_type, memory);
    return memory;
}

static int file(const char *name, size_t bytes) {
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0) rb_sys_fail("memfd_create");
    return fd;
}

static void *map(int fd, size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) rb_sys_fail("mmap");
    return memory;
}

static uint32_t aligned(size_t bytes) {
    return (uint32_t)((bytes + 63) / 64 * 64);
}

static void make_requests(struct memory *memory) {
    uint32_t bytes_at = aligned(sizeof(struct coppice_lobby_slot) + FIELDS * sizeof(struct coppice_field));
    uint32_t slot_bytes = bytes_at + COPPICE_LOBBY_SLOT_BYTES;
    size_t bytes = COPPICE_LOBBY_PAGE + (size_t)SLOTS * slot_bytes;
    memory->requests_fd = file("requests", bytes);
    memory->requests = map(memory->requests_fd, bytes);
    *memory->requests = (struct coppice_lobby_requests){
        .magic = COPPICE_LOBBY_MAGIC, .version = COPPICE_LOBBY_VERSION, .slot_count = SLOTS, .slot_bytes = slot_bytes,
        .field_capacity = FIELDS, .bytes_at = bytes_at, .slots_at = COPPICE_LOBBY_PAGE,
    };
}

static void make_queue(struct memory *memory) {
    uint32_t size = coppice_request_queue_size(SLOTS);
    memory->queue_fd = file("queue", coppice_request_queue_bytes(size));
    memory->queue = map(memory->queue_fd, coppice_request_queue_bytes(size));
    coppice_request_queue_init(memory->queue, size);
}

static VALUE memory_allocate(VALUE klass) {
    struct memory *memory;
    VALUE self = TypedData_Make_Struct(klass, struct memory, &memory_type, memory);
    make_requests(memory);
    make_queue(memory);
    memory->ring_fd = file("ring", 0);
    memory->worker_eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    memory->lobby_eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    memory->serial = 1000;
    return self;
}

/* descriptors -> as LobbySeat.new takes them, without the socket. */
static VALUE memory_descriptors(VALUE self) {
    struct memory *memory = get(self);
    return rb_ary_new_from_args(5, INT2NUM(memory->requests_fd), INT2NUM(memory->queue_fd), INT2NUM(memory->ring_fd),
                                INT2NUM(memory->worker_eventfd), INT2NUM(memory->lobby_eventfd));
}

/* attach: reads the ring, which was prepared. */
static VALUE memory_attach(VALUE self) {
    struct memory *memory = get(self);
    memory->reader.ring = coppice_answer_ring_map(memory->ring_fd, false);
    if (!memory->reader.ring) rb_sys_fail("mmap");
    return Qnil;
}

static enum coppice_http_result parse(VALUE bytes, struct coppice_http_parser *parser,
                                      struct coppice_request_head *head) {
    static const struct coppice_http_limits limits = {.request_line_bytes = 15 * 1024, .header_bytes = 112 * 1024};
    coppice_http_parser_init(parser, &limits, head, FIELDS);
    return coppice_http_parse(parser, RSTRING_PTR(bytes), (size_t)RSTRING_LEN(bytes));
}

/* Memory.head(bytes) -> nil, false or [length, content_length, chunked, keep_alive] */
static VALUE memory_head(VALUE klass, VALUE bytes) {
    struct coppice_http_parser parser;
    struct coppice_request_head *head = calloc(1, coppice_request_head_size(FIELDS));
    enum coppice_http_result result = parse(bytes, &parser, head);
    VALUE found = result == COPPICE_HTTP_REFUSED ? Qfalse : Qnil;
    if (result == COPPICE_HTTP_COMPLETE) {
        VALUE length = head->has_content_length ? ULL2NUM(head->content_length) : Qnil;
        found = rb_ary_new_from_args(4, UINT2NUM(head->length), length, head->chunked ? Qtrue : Qfalse,
                                     head->keep_alive ? Qtrue : Qfalse);
    }
    free(head);
    return found;
}

static struct coppice_lobby_slot *slot_at(struct memory *memory, uint32_t index) {
    return (struct coppice_lobby_slot *)(uintptr_t)coppice_lobby_slot_at(memory->requests, index);
}

static void set_address(struct coppice_lobby_address *address, VALUE description) {
    memset(address, 0, sizeof(*address));
    if (NIL_P(description)) return;
    VALUE bytes = rb_ary_entry(description, 2);
    address->family = (uint16_t)NUM2UINT(rb_ary_entry(description, 0));
    address->port = (uint16_t)NUM2UINT(rb_ary_entry(description, 1));
    memcpy(address->bytes, RSTRING_PTR(bytes), (size_t)RSTRING_LEN(bytes));
}

/* push(bytes, body_length, flags, request_id, [arrived_us, queued_us], client, server) -> [slot, position, serial] */
static VALUE memory_push(VALUE self, VALUE bytes, VALUE body_length, VALUE flags, VALUE request_id, VALUE times,
                         VALUE client, VALUE server) {
    struct memory *memory = get(self);
    struct coppice_http_parser parser;
    uint32_t index = memory->next_slot++ % SLOTS;
    struct coppice_lobby_slot *slot = slot_at(memory, index);
    if (parse(bytes, &parser, &slot->head) != COPPICE_HTTP_COMPLETE) rb_raise(rb_eArgError, "no whole head");
    slot->serial = ++memory->serial;
    slot->arrived_us = NUM2LL(rb_ary_entry(times, 0));
    slot->queued_us = NUM2LL(rb_ary_entry(times, 1));
    slot->body_length = NUM2ULL(body_length);
    slot->length = (uint32_t)RSTRING_LEN(bytes);
    slot->flags = NUM2UINT(flags);
    set_address(&slot->client, client);
    set_address(&slot->server, server);
    strncpy(slot->request_id, StringValueCStr(request_id), sizeof(slot->request_id) - 1);
    atomic_store(&slot->client_gone, 0);
    memcpy((char *)slot + memory->requests->bytes_at, RSTRING_PTR(bytes), (size_t)RSTRING_LEN(bytes));
    uint32_t position = coppice_request_queue_push(memory->queue, (uint16_t)index, false);
    return rb_ary_new_from_args(3, UINT2NUM(index), UINT2NUM(position), ULL2NUM(slot->serial));
}

/* take_sleeper -> whether the worker had announced that it sleeps: then its eventfd is to be written. */
static VALUE memory_take_sleeper(VALUE self) {
    return coppice_request_queue_wake_worker(get(self)->queue, SEAT) ? Qtrue : Qfalse;
}

/* wake: if it sleeps. */
static VALUE memory_wake(VALUE self) {
    if (RTEST(memory_take_sleeper(self))) coppice_wake(get(self)->worker_eventfd);
    return Qnil;
}

/* owner(position, slot) -> the seat, or a negative number. */
static VALUE memory_owner(VALUE self, VALUE position, VALUE slot) {
    return INT2NUM(coppice_request_queue_owner(get(self)->queue, NUM2UINT(position), (uint16_t)NUM2UINT(slot)));
}

/* take_answered: before the ring is read. */
static VALUE memory_take_answered(VALUE self) {
    coppice_request_queue_take_answered(get(self)->queue, SEAT / 64);
    return Qnil;
}

/* read -> [type, flags, status, serial, payload], or nil */
static VALUE memory_read(VALUE self) {
    struct memory *memory = get(self);
    struct coppice_record record;
    const char *payload;
    for (;;) {
        enum coppice_ring_result result = coppice_ring_reader_peek(&memory->reader, &record, &payload);
        if (result == COPPICE_RING_SPOILT) rb_raise(rb_eRuntimeError, "the ring is spoilt");
        if (result == COPPICE_RING_EMPTY) return Qnil;
        bool skip = record.type == COPPICE_RECORD_SKIP;
        VALUE bytes = skip ? Qnil : rb_str_new(payload, record.length);
        coppice_ring_reader_pass(&memory->reader, &record);
        if (coppice_ring_reader_release(&memory->reader)) coppice_wake(memory->worker_eventfd);
        if (skip) continue;
        return rb_ary_new_from_args(5, INT2NUM(record.type), INT2NUM(record.flags), INT2NUM(record.status),
                                    ULL2NUM(record.serial), bytes);
    }
}

/* stalled = whether it leaves records unread because their client does not read. */
static VALUE memory_set_stalled(VALUE self, VALUE stalled) {
    coppice_ring_reader_stall(&get(self)->reader, RTEST(stalled));
    return stalled;
}

/* sleeps?(wants_workers) -> whether the lobby may wait for its eventfd. */
static VALUE memory_sleeps_p(VALUE self, VALUE wants_workers) {
    struct memory *memory = get(self);
    return coppice_request_queue_lobby_sleeps(memory->queue, SEAT / 64 + 1, RTEST(wants_workers)) ? Qtrue : Qfalse;
}

static VALUE memory_wakes(VALUE self) {
    struct memory *memory = get(self);
    uint64_t count;
    if (read(memory->lobby_eventfd, &count, sizeof(count)) < 0) count = 0;
    coppice_request_queue_lobby_wakes(memory->queue);
    return ULL2NUM(count);
}

static VALUE memory_client_gone(VALUE self, VALUE slot) {
    atomic_store(&slot_at(get(self), NUM2UINT(slot))->client_gone, 1);
    return Qnil;
}

static VALUE memory_set_closing(VALUE self, VALUE flag) {
    atomic_store(&get(self)->queue->closing, RTEST(flag) ? 1 : 0);
    return flag;
}

static VALUE memory_close(VALUE self) {
    close_descriptors(get(self));
    return Qnil;
}

__attribute__((visibility("default"))) void Init_test_lobby(void) {
    VALUE lobby = rb_define_class_under(rb_define_module("Coppice"), "TestLobby", rb_cObject);
    VALUE klass = rb_define_class_under(lobby, "Memory", rb_cObject);
    rb_define_const(lobby, "SEAT", INT2NUM(SEAT));
    rb_define_alloc_func(klass, memory_allocate);
    rb_define_singleton_method(klass, "head", memory_head, 1);
    rb_define_method(klass, "descriptors", memory_descriptors, 0);
    rb_define_method(klass, "close", memory_close, 0);
    rb_define_method(klass, "attach", memory_attach, 0);
    rb_define_method(klass, "push", memory_push, 7);
    rb_define_method(klass, "take_sleeper", memory_take_sleeper, 0);
    rb_define_method(klass, "wake", memory_wake, 0);
    rb_define_method(klass, "owner", memory_owner, 2);
    rb_define_method(klass, "take_answered", memory_take_answered, 0);
    rb_define_method(klass, "read", memory_read, 0);
    rb_define_method(klass, "stalled=", memory_set_stalled, 1);
    rb_define_method(klass, "sleeps?", memory_sleeps_p, 1);
    rb_define_method(klass, "wakes", memory_wakes, 0);
    rb_define_method(klass, "client_gone", memory_client_gone, 1);
    rb_define_method(klass, "closing=", memory_set_closing, 1);
}
