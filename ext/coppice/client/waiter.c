/*
 * Coppice::Waiter: where an idle process sleeps until one of its sources is
 * ready. A source is any Ruby object, added together with the descriptor that
 * shows when it is ready. Sources with a descriptor that all workers share, such
 * as a listener's, are added with EPOLLEXCLUSIVE: a new connection wakes one
 * worker, not all. One whose descriptor is never read, such as a seat's eventfd, is added edge-triggered: each write to
 * it makes the source ready once.
 */
#include <errno.h>
#include <ruby.h>
#include <ruby/thread.h>

#include "coppice_ext.h"
#include "os/portable_epoll.h"

struct entry {
    int fd;
    uint32_t events;
    VALUE source;
};

struct waiter {
    int epoll_fd;
    uint32_t entries_count;
    struct entry *entries;
};

struct waiter_call {
    int epoll_fd;
    int timeout_ms;
    int count;
    int saved_errno;
    struct epoll_event event;
};

static void waiter_mark(void *pointer) {
    struct waiter *waiter = pointer;
    for (uint32_t i = 0; i < waiter->entries_count; i++) rb_gc_mark(waiter->entries[i].source);
}

static void waiter_free(void *pointer) {
    struct waiter *waiter = pointer;
    if (waiter->epoll_fd >= 0) coppice_epoll_close(waiter->epoll_fd);
    xfree(waiter->entries);
    xfree(waiter);
}

static const rb_data_type_t waiter_type = {
    .wrap_struct_name = "Coppice::Waiter",
    .function = {.dmark = waiter_mark, .dfree = waiter_free},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static struct waiter *waiter_get(VALUE self) {
    struct waiter *waiter;
    TypedData_Get_Struct(self, struct waiter, &waiter_type, waiter);
    return waiter;
}

static VALUE waiter_allocate(VALUE klass) {
    struct waiter *waiter;
    VALUE self = TypedData_Make_Struct(klass, struct waiter, &waiter_type, waiter);
    waiter->epoll_fd = -1;
    return self;
}

/* A shared descriptor takes the last place in its queue of waiters. */
static void waiter_watch(struct waiter *waiter, const struct entry *entry) {
    struct epoll_event event = {.events = entry->events, .data.fd = entry->fd};
    if (epoll_ctl(waiter->epoll_fd, EPOLL_CTL_ADD, entry->fd, &event) < 0) rb_sys_fail("epoll_ctl");
}

static void waiter_append(VALUE self, VALUE rb_fd, VALUE source, uint32_t events) {
    struct waiter *waiter = waiter_get(self);
    int fd = NUM2INT(rb_fd);
    uint32_t index = waiter->entries_count;
    REALLOC_N(waiter->entries, struct entry, index + 1);
    waiter->entries[index] = (struct entry){.fd = fd, .events = events, .source = source};
    waiter_watch(waiter, &waiter->entries[index]);
    waiter->entries_count = index + 1;
}

static VALUE waiter_initialize(VALUE self) {
    struct waiter *waiter = waiter_get(self);
    waiter->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (waiter->epoll_fd < 0) rb_sys_fail("epoll_create1");
    return self;
}

/* add(fd, source): a source of this process alone. */
static VALUE waiter_add(VALUE self, VALUE rb_fd, VALUE source) {
    waiter_append(self, rb_fd, source, EPOLLIN);
    return self;
}

/* add_shared(fd, source): one for which the processes of other waiters wait too. */
static VALUE waiter_add_shared(VALUE self, VALUE rb_fd, VALUE source) {
    waiter_append(self, rb_fd, source, EPOLLIN | EPOLLEXCLUSIVE);
    return self;
}

/* add_edge(fd, source): one that is ready once for each time that its descriptor is written. */
static VALUE waiter_add_edge(VALUE self, VALUE rb_fd, VALUE source) {
    waiter_append(self, rb_fd, source, EPOLLIN | EPOLLET);
    return self;
}

/* remove(fd): a descriptor that was added and is still open. */
static VALUE waiter_remove(VALUE self, VALUE rb_fd) {
    struct waiter *waiter = waiter_get(self);
    int fd = NUM2INT(rb_fd);
    if (epoll_ctl(waiter->epoll_fd, EPOLL_CTL_DEL, fd, NULL) < 0) rb_sys_fail("epoll_ctl");
    uint32_t kept = 0;
    for (uint32_t i = 0; i < waiter->entries_count; i++) {
        if (waiter->entries[i].fd != fd) waiter->entries[kept++] = waiter->entries[i];
    }
    waiter->entries_count = kept;
    return self;
}

/*
 * Puts this waiter behind all others. The kernel wakes the first sleeping waiter in a listener's queue, and never
 * changes their order: so the first one would serve whenever it is free. A client that comes while this waiter is in
 * no queue is not missed: EPOLL_CTL_ADD looks at the listener.
 */
static VALUE waiter_wake_last(VALUE self) {
    struct waiter *waiter = waiter_get(self);
    for (uint32_t i = 0; i < waiter->entries_count; i++) {
        const struct entry *entry = &waiter->entries[i];
        if (!(entry->events & EPOLLEXCLUSIVE)) continue;
        if (epoll_ctl(waiter->epoll_fd, EPOLL_CTL_DEL, entry->fd, NULL) < 0) rb_sys_fail("epoll_ctl");
        waiter_watch(waiter, entry);
    }
    return Qnil;
}

/* A worker has few entries: a listener or two, the channel, the lingering clients. A monitor has one for each child. */
static VALUE waiter_source(VALUE self, const struct epoll_event *event) {
    const struct waiter *waiter = waiter_get(self);
    for (uint32_t i = 0; i < waiter->entries_count; i++) {
        if (waiter->entries[i].fd == event->data.fd) return waiter->entries[i].source;
    }
    return Qnil;
}

static void *waiter_wait_nogvl(void *pointer) {
    struct waiter_call *call = pointer;
    call->count = epoll_wait(call->epoll_fd, &call->event, 1, call->timeout_ms);
    call->saved_errno = errno;
    return NULL;
}

/* A source that is ready now, or nil. Does not sleep, and so need not release the Ruby lock. */
static VALUE waiter_look(VALUE self) {
    struct epoll_event event;
    int count = epoll_wait(waiter_get(self)->epoll_fd, &event, 1, 0);
    int saved = errno;
    if (count < 0 && saved != EINTR) rb_syserr_fail(saved, "epoll_wait");
    return count > 0 ? waiter_source(self, &event) : Qnil;
}

/*
 * Sleeps until a source is ready and answers it; nil when the time is over or a
 * signal came. One at a time: the kernel's ready list takes turns.
 */
static VALUE waiter_wait(VALUE self, VALUE rb_timeout_ms) {
    struct waiter_call call = {.epoll_fd = waiter_get(self)->epoll_fd, .count = -1, .saved_errno = EINTR};
    call.timeout_ms = NIL_P(rb_timeout_ms) ? -1 : NUM2INT(rb_timeout_ms);
    /* without_gvl2 does not wait when a signal is pending: its handler may set the flag that the caller has just read.
     * */
    rb_thread_call_without_gvl2(waiter_wait_nogvl, &call, RUBY_UBF_IO, NULL);
    if (call.count > 0) return waiter_source(self, &call.event);
    if (call.count < 0 && call.saved_errno != EINTR) rb_syserr_fail(call.saved_errno, "epoll_wait");
    rb_thread_check_ints();
    return Qnil;
}

/* fileno: a descriptor that can be read while a source is ready. Linux only. */
static VALUE waiter_fileno(VALUE self) {
    return INT2NUM(waiter_get(self)->epoll_fd);
}

/* Only this process's descriptor: a parent that shares the epoll instance keeps its own. */
static VALUE waiter_close(VALUE self) {
    struct waiter *waiter = waiter_get(self);
    if (waiter->epoll_fd >= 0) coppice_epoll_close(waiter->epoll_fd);
    waiter->epoll_fd = -1;
    return Qnil;
}

void Init_coppice_waiter(VALUE coppice) {
    VALUE klass = rb_define_class_under(coppice, "Waiter", rb_cObject);
    rb_define_alloc_func(klass, waiter_allocate);
    rb_define_method(klass, "initialize", waiter_initialize, 0);
    rb_define_method(klass, "add", waiter_add, 2);
    rb_define_method(klass, "add_shared", waiter_add_shared, 2);
    rb_define_method(klass, "add_edge", waiter_add_edge, 2);
    rb_define_method(klass, "remove", waiter_remove, 1);
    rb_define_method(klass, "look", waiter_look, 0);
    rb_define_method(klass, "wake_last", waiter_wake_last, 0);
    rb_define_method(klass, "wait", waiter_wait, 1);
    rb_define_method(klass, "fileno", waiter_fileno, 0);
    rb_define_method(klass, "close", waiter_close, 0);
}
