/*
 * Coppice::RequestClock: what a worker notes of each request on its row of the board, in one call when the request
 * starts and one when it ends; and how long it took, once that counts. The monitor, the lobby and the soft timeout read
 * the deadline there. No method makes a system call: the kernel maps the clock into the process.
 */
#include <stdbool.h>

#include "board/cells.h"
#include "board/histogram.h"
#include "coppice_ext.h"
#include "env_keys.h"
#include "shared/socket_io.h"

#define MAX_TIMEOUT_MS (INT64_MAX / 2) /* the sum with the clock cannot overflow */

struct request_clock {
    VALUE cells;
    struct coppice_column request, request_id, started_ms, answered_ms, deadline_ms;
    struct coppice_column requests, first_us, application_us, first_request_us;
    int64_t timeout_ms; /* of a request that has no limit of its own */
    int64_t limit_ms;   /* of the request in flight, without the waits for its client */
    int64_t last_start_us;
    bool counting;
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

static int64_t limited(VALUE milliseconds) {
    int64_t limit_ms = NUM2LL(milliseconds);
    return limit_ms > MAX_TIMEOUT_MS ? MAX_TIMEOUT_MS : limit_ms;
}

/* RequestClock.new(row, timeout_ms): a Coppice::Board::Row, and how long a request may take. */
static VALUE clock_initialize(VALUE self, VALUE row, VALUE timeout_ms) {
    struct request_clock *clock = clock_get(self);
    clock->cells = rb_funcall(row, rb_intern("cells"), 0);
    clock->timeout_ms = clock->limit_ms = limited(timeout_ms);
    clock->request = coppice_cells_column(row, "request", 1);
    clock->request_id = coppice_cells_column(row, "request_id", 1);
    clock->started_ms = coppice_cells_column(row, "started_ms", 1);
    clock->answered_ms = coppice_cells_column(row, "answered_ms", 1);
    clock->deadline_ms = coppice_cells_column(row, "deadline_ms", 1);
    clock->requests = coppice_cells_column(row, "requests", 1);
    clock->first_us = coppice_cells_column(row, "first_us", 1);
    clock->application_us = coppice_cells_column(row, "application_us", COPPICE_HISTOGRAM_CELLS);
    clock->first_request_us = coppice_cells_column(row, "first_request_us", COPPICE_HISTOGRAM_CELLS);
    return self;
}

static void store(const struct request_clock *clock, struct coppice_column column, int64_t value) {
    atomic_store_explicit(coppice_cells_at(clock->cells, column.index, 1), value, memory_order_release);
}

static VALUE text_in(VALUE env, enum coppice_env_key key) {
    VALUE text = rb_hash_lookup2(env, coppice_env_keys[key], Qnil);
    Check_Type(text, T_STRING);
    return text;
}

static struct coppice_cells_text text_of(const struct request_clock *clock, struct coppice_column column) {
    return (struct coppice_cells_text){
        .bytes = (char *)coppice_cells_at(clock->cells, column.index, column.count),
        .room = column.count * sizeof(int64_t),
    };
}

/* "GET /path" */
static void store_request(const struct request_clock *clock, VALUE env) {
    VALUE method = text_in(env, COPPICE_ENV_REQUEST_METHOD);
    VALUE path = text_in(env, COPPICE_ENV_PATH_INFO);
    struct coppice_cells_text text = text_of(clock, clock->request);
    coppice_cells_text_append(&text, RSTRING_PTR(method), (size_t)RSTRING_LEN(method));
    coppice_cells_text_append(&text, " ", 1);
    coppice_cells_text_append(&text, RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
    coppice_cells_text_end(&text);
}

/* The client's, or the one that was made for it. */
static void store_request_id(const struct request_clock *clock, VALUE env) {
    VALUE id = rb_hash_lookup2(env, coppice_env_keys[COPPICE_ENV_HTTP_X_REQUEST_ID], Qnil);
    struct coppice_cells_text text = text_of(clock, clock->request_id);
    if (RB_TYPE_P(id, T_STRING)) coppice_cells_text_append(&text, RSTRING_PTR(id), (size_t)RSTRING_LEN(id));
    coppice_cells_text_end(&text);
}

/*
 * start(env), or start(env, limit_ms) for a request whose limit is another one than most requests have, or nil. The
 * deadline comes last, so that a process which finds one finds the request that it is for.
 */
static VALUE clock_start(int count, VALUE *arguments, VALUE self) {
    struct request_clock *clock = clock_get(self);
    rb_check_arity(count, 1, 2);
    VALUE env = arguments[0];
    Check_Type(env, T_HASH);
    int64_t limit_ms = count > 1 && !NIL_P(arguments[1]) ? limited(arguments[1]) : clock->timeout_ms;
    store_request(clock, env);
    store_request_id(clock, env);
    clock->env = env;
    clock->limit_ms = limit_ms;
    clock->last_start_us = coppice_monotonic_us();
    int64_t now_ms = clock->last_start_us / 1000;
    store(clock, clock->started_ms, now_ms);
    store(clock, clock->deadline_ms, now_ms + limit_ms);
    return Qnil;
}

/* answered: the client has its response, and what is left to do has as long again. The second call does nothing. */
static VALUE clock_answered(VALUE self) {
    const struct request_clock *clock = clock_get(self);
    if (atomic_load_explicit(coppice_cells_at(clock->cells, clock->answered_ms.index, 1), memory_order_relaxed) != 0) {
        return Qnil;
    }
    int64_t now_ms = coppice_monotonic_ms();
    store(clock, clock->answered_ms, now_ms);
    store(clock, clock->deadline_ms, now_ms + clock->limit_ms);
    return Qnil;
}

/* stop: no request is in flight any more. */
static VALUE clock_stop(VALUE self) {
    struct request_clock *clock = clock_get(self);
    store(clock, clock->deadline_ms, 0);
    store(clock, clock->started_ms, 0);
    store(clock, clock->answered_ms, 0);
    clock->env = Qnil;
    return Qnil;
}

/* count_request -> Integer: one more is served; how many that makes. Several clocks may count on one row. */
static VALUE clock_count_request(VALUE self) {
    struct request_clock *clock = clock_get(self);
    _Atomic int64_t *requests = coppice_cells_at(clock->cells, clock->requests.index, 1);
    clock->count = atomic_fetch_add_explicit(requests, 1, memory_order_release) + 1;
    return LL2NUM(clock->count);
}

/* The first request of a fork is slower than the others: it is counted apart as well. */
static void count_duration(const struct request_clock *clock, int64_t us) {
    _Atomic int64_t *first = coppice_cells_at(clock->cells, clock->first_us.index, 1);
    int64_t none = 0;
    coppice_histogram_add(clock->cells, clock->application_us.index, us);
    if (atomic_load_explicit(first, memory_order_relaxed) != 0) return;
    if (!atomic_compare_exchange_strong(first, &none, us > 0 ? us : 1)) return;
    coppice_histogram_add(clock->cells, clock->first_request_us.index, us);
}

/*
 * Moves the deadline of the request in flight, not to before `earliest_ms`, and returns by how much. 0 when there is
 * none: it may end at any moment, and another thread must not give an idle worker a deadline.
 */
static int64_t move_deadline(const struct request_clock *clock, int64_t by_ms, int64_t earliest_ms) {
    _Atomic int64_t *deadline = coppice_cells_at(clock->cells, clock->deadline_ms.index, 1);
    int64_t before = atomic_load_explicit(deadline, memory_order_acquire), after;
    do {
        if (before == 0 || (by_ms < 0 && before < earliest_ms)) return 0;
        after = before + by_ms < earliest_ms ? earliest_ms : before + by_ms;
    } while (!atomic_compare_exchange_weak(deadline, &before, after));
    return after - before;
}

/* change_limit(ms) -> Integer: lets the request in flight take so much longer, or less long, but its deadline is never
 * in the past. By how many ms that was. */
static VALUE clock_change_limit(VALUE self, VALUE milliseconds) {
    struct request_clock *clock = clock_get(self);
    int64_t by_ms = limited(milliseconds);
    int64_t moved_ms = move_deadline(clock, by_ms, by_ms < 0 ? coppice_monotonic_us() / 1000 : INT64_MIN);
    clock->limit_ms += moved_ms;
    return LL2NUM(moved_ms);
}

/* postpone(ms): moves the deadline by time that does not count; a negative number takes back what was not needed. */
static VALUE clock_postpone(VALUE self, VALUE milliseconds) {
    move_deadline(clock_get(self), limited(milliseconds), INT64_MIN);
    return Qnil;
}

/* end_request: as stop, and counts how long the request took. That comes last: until then a reader takes it for one
 * that is in flight. */
static VALUE clock_end_request(VALUE self) {
    const struct request_clock *clock = clock_get(self);
    int64_t us = clock->counting ? coppice_monotonic_us() - clock->last_start_us : 0;
    clock_stop(self);
    if (clock->counting) count_duration(clock, us);
    return Qnil;
}

/* finish -> Integer: count_request and end_request in one. */
static VALUE clock_finish(VALUE self) {
    VALUE count = clock_count_request(self);
    clock_end_request(self);
    return count;
}

/* begin_counting: the requests until now were no client's. From now on they count, and so do their durations. */
static VALUE clock_begin_counting(VALUE self) {
    struct request_clock *clock = clock_get(self);
    clock->counting = true;
    clock->count = 0;
    store(clock, clock->requests, 0);
    return Qnil;
}

static VALUE clock_requests(VALUE self) {
    return LL2NUM(clock_get(self)->count);
}

/* last_start_ms -> Integer: when a request started last, on the monotonic clock; 0 before the first one. */
static VALUE clock_last_start_ms(VALUE self) {
    return LL2NUM(clock_get(self)->last_start_us / 1000);
}

/* limit_ms -> Integer: of the request in flight, as the application may have set it. */
static VALUE clock_limit_ms(VALUE self) {
    return LL2NUM(clock_get(self)->limit_ms);
}

/* env -> that of the request in flight, or nil */
static VALUE clock_env(VALUE self) {
    return clock_get(self)->env;
}

void Init_coppice_request_clock(VALUE coppice) {
    VALUE klass = rb_define_class_under(coppice, "RequestClock", rb_cObject);
    rb_define_alloc_func(klass, clock_allocate);
    rb_define_method(klass, "initialize", clock_initialize, 2);
    rb_define_method(klass, "start", clock_start, -1);
    rb_define_method(klass, "answered", clock_answered, 0);
    rb_define_method(klass, "stop", clock_stop, 0);
    rb_define_method(klass, "count_request", clock_count_request, 0);
    rb_define_method(klass, "end_request", clock_end_request, 0);
    rb_define_method(klass, "finish", clock_finish, 0);
    rb_define_method(klass, "requests", clock_requests, 0);
    rb_define_method(klass, "begin_counting", clock_begin_counting, 0);
    rb_define_method(klass, "limit_ms", clock_limit_ms, 0);
    rb_define_method(klass, "change_limit", clock_change_limit, 1);
    rb_define_method(klass, "postpone", clock_postpone, 1);
    rb_define_method(klass, "last_start_ms", clock_last_start_ms, 0);
    rb_define_method(klass, "env", clock_env, 0);
}
