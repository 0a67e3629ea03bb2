/*
 * Coppice::RequestClock: what a worker notes of each request on its row of the board, in one call when the request
 * starts and one when it ends. The monitor and the soft timeout read the deadline there. No method makes a system
 * call: the kernel maps the clock into the process.
 */
#include <stdbool.h>

#include "cells.h"
#include "coppice_ext.h"
#include "env_keys.h"
#include "socket_io.h"

#define MAX_TIMEOUT_MS (INT64_MAX / 2) /* the sum with the clock cannot overflow */

/* A column of the row: where it begins on the board, and how many cells it has. */
struct column {
    size_t index;
    size_t count;
};

struct request_clock {
    VALUE cells;
    struct column request, started_ms, deadline_ms, requests;
    int64_t timeout_ms;
    int64_t last_start_ms;
    int64_t count;
    VALUE env; /* of the request in flight, or nil */
};

static void clock_mark(void *pointer) {
    const struct request_clock *clock = pointer;
    rb_gc_mark(clock->cells);
    rb_gc_mark(clock->env);
}

static size_t clock_size(const void *pointer) {
    return sizeof(struct request_clock);
}

static const rb_data_type_t clock_type = {
    .wrap_struct_name = "Coppice::RequestClock",
    .function = {.dmark = clock_mark, .dfree = RUBY_DEFAULT_FREE, .dsize = clock_size},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static struct request_clock *clock_get(VALUE self) {
    struct request_clock *clock;
    TypedData_Get_Struct(self, struct request_clock, &clock_type, clock);
    return clock;
}

static VALUE clock_allocate(VALUE klass) {
    struct request_clock *clock;
    VALUE self = TypedData_Make_Struct(klass, struct request_clock, &clock_type, clock);
    clock->cells = clock->env = Qnil;
    return self;
}

static struct column column_of(VALUE row, const char *name) {
    VALUE place = rb_funcall(row, rb_intern("place_of"), 1, ID2SYM(rb_intern(name)));
    Check_Type(place, T_ARRAY);
    return (struct column){.index = NUM2SIZET(rb_ary_entry(place, 0)), .count = NUM2SIZET(rb_ary_entry(place, 1))};
}

/* RequestClock.new(row, timeout_ms): a Coppice::Board::Row, and how long a request may take. */
static VALUE clock_initialize(VALUE self, VALUE row, VALUE timeout_ms) {
    struct request_clock *clock = clock_get(self);
    clock->cells = rb_funcall(row, rb_intern("cells"), 0);
    clock->timeout_ms = NUM2LL(timeout_ms);
    if (clock->timeout_ms > MAX_TIMEOUT_MS) clock->timeout_ms = MAX_TIMEOUT_MS;
    clock->request = column_of(row, "request");
    clock->started_ms = column_of(row, "started_ms");
    clock->deadline_ms = column_of(row, "deadline_ms");
    clock->requests = column_of(row, "requests");
    return self;
}

static void store(const struct request_clock *clock, struct column column, int64_t value) {
    atomic_store_explicit(coppice_cells_at(clock->cells, column.index, 1), value, memory_order_release);
}

static VALUE text_in(VALUE env, enum coppice_env_key key) {
    VALUE text = rb_hash_lookup2(env, coppice_env_keys[key], Qnil);
    Check_Type(text, T_STRING);
    return text;
}

/* "GET /path" */
static void store_request(const struct request_clock *clock, VALUE env) {
    VALUE method = text_in(env, COPPICE_ENV_REQUEST_METHOD);
    VALUE path = text_in(env, COPPICE_ENV_PATH_INFO);
    size_t count = clock->request.count;
    struct coppice_cells_text text = {
        .bytes = (char *)coppice_cells_at(clock->cells, clock->request.index, count),
        .room = count * sizeof(int64_t),
    };
    coppice_cells_text_append(&text, RSTRING_PTR(method), (size_t)RSTRING_LEN(method));
    coppice_cells_text_append(&text, " ", 1);
    coppice_cells_text_append(&text, RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
    coppice_cells_text_end(&text);
}

/* start(env): the deadline comes last, so that a process which finds one finds the request that it is for. */
static VALUE clock_start(VALUE self, VALUE env) {
    struct request_clock *clock = clock_get(self);
    Check_Type(env, T_HASH);
    store_request(clock, env);
    clock->env = env;
    clock->last_start_ms = coppice_monotonic_ms();
    store(clock, clock->started_ms, clock->last_start_ms);
    store(clock, clock->deadline_ms, clock->last_start_ms + clock->timeout_ms);
    return Qnil;
}

/* stop: no request is in flight any more. */
static VALUE clock_stop(VALUE self) {
    struct request_clock *clock = clock_get(self);
    store(clock, clock->deadline_ms, 0);
    store(clock, clock->started_ms, 0);
    clock->env = Qnil;
    return Qnil;
}

static VALUE set_count(VALUE self, int64_t count) {
    struct request_clock *clock = clock_get(self);
    clock->count = count;
    store(clock, clock->requests, count);
    return LL2NUM(count);
}

/* count_request -> Integer: one more is served; how many that makes. */
static VALUE clock_count_request(VALUE self) {
    return set_count(self, clock_get(self)->count + 1);
}

/* finish -> Integer: count_request and stop in one. */
static VALUE clock_finish(VALUE self) {
    VALUE count = clock_count_request(self);
    clock_stop(self);
    return count;
}

/* requests = Integer */
static VALUE clock_set_requests(VALUE self, VALUE count) {
    return set_count(self, NUM2LL(count));
}

static VALUE clock_requests(VALUE self) {
    return LL2NUM(clock_get(self)->count);
}

/* last_start_ms -> Integer: when a request started last, on the monotonic clock; 0 before the first one. */
static VALUE clock_last_start_ms(VALUE self) {
    return LL2NUM(clock_get(self)->last_start_ms);
}

/* env -> that of the request in flight, or nil */
static VALUE clock_env(VALUE self) {
    return clock_get(self)->env;
}

void Init_coppice_request_clock(VALUE coppice) {
    VALUE klass = rb_define_class_under(coppice, "RequestClock", rb_cObject);
    rb_define_alloc_func(klass, clock_allocate);
    rb_define_method(klass, "initialize", clock_initialize, 2);
    rb_define_method(klass, "start", clock_start, 1);
    rb_define_method(klass, "stop", clock_stop, 0);
    rb_define_method(klass, "count_request", clock_count_request, 0);
    rb_define_method(klass, "finish", clock_finish, 0);
    rb_define_method(klass, "requests", clock_requests, 0);
    rb_define_method(klass, "requests=", clock_set_requests, 1);
    rb_define_method(klass, "last_start_ms", clock_last_start_ms, 0);
    rb_define_method(klass, "env", clock_env, 0);
}
