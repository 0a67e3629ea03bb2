/*
 * Coppice::Waiter: where an idle worker sleeps. Its epoll instance watches the listeners, which all workers share
 * (EPOLLEXCLUSIVE: a new connection wakes one worker, not all), and the worker's own descriptors, such as its channel.
 */
#include <errno.h>
#include <ruby.h>
#include <ruby/thread.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "coppice_ext.h"

struct waiter {
    int epoll_fd;
    int listeners_count;
    int *listener_fds;
};

struct waiter_call {
    int epoll_fd;
    int timeout_ms;
    int count;
    int saved_errno;
    struct epoll_event event;
};

static void waiter_free(void *pointer) {
    struct waiter *waiter = pointer;
    if (waiter->epoll_fd >= 0) close(waiter->epoll_fd);
    xfree(waiter->listener_fds);
    xfree(waiter);
}

static const rb_data_type_t waiter_type = {
    .wrap_struct_name = "Coppice::Waiter",
    .function = {.dfree = waiter_free},
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

static void waiter_add(struct waiter *waiter, int fd, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = fd};
    if (epoll_ctl(waiter->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0) rb_sys_fail("epoll_ctl");
}

/* Takes the last place in the listener's wait queue. */
static void waiter_line_up(struct waiter *waiter, int listener_fd) {
    waiter_add(waiter, listener_fd, EPOLLIN | EPOLLEXCLUSIVE);
}

/* Waiter.new(listener_fds, *own_fds) */
static VALUE waiter_initialize(int argc, VALUE *argv, VALUE self) {
    struct waiter *waiter = waiter_get(self);
    VALUE listener_fds, own_fds;
    rb_scan_args(argc, argv, "1*", &listener_fds, &own_fds);
    Check_Type(listener_fds, T_ARRAY);
    waiter->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (waiter->epoll_fd < 0) rb_sys_fail("epoll_create1");
    waiter->listener_fds = ALLOC_N(int, RARRAY_LEN(listener_fds));
    for (long i = 0; i < RARRAY_LEN(listener_fds); i++) {
        waiter->listener_fds[i] = NUM2INT(RARRAY_AREF(listener_fds, i));
        waiter_line_up(waiter, waiter->listener_fds[i]);
        waiter->listeners_count++;
    }
    for (long i = 0; i < RARRAY_LEN(own_fds); i++) waiter_add(waiter, NUM2INT(RARRAY_AREF(own_fds, i)), EPOLLIN);
    return self;
}

/*
 * Puts this waiter behind all others. The kernel wakes the first sleeping waiter in a listener's queue, and never
 * changes their order: so the first one would serve whenever it is free. A client that comes while this waiter is in
 * no queue is not missed: EPOLL_CTL_ADD looks at the listener.
 */
static VALUE waiter_go_last(VALUE self) {
    struct waiter *waiter = waiter_get(self);
    for (int i = 0; i < waiter->listeners_count; i++) {
        int fd = waiter->listener_fds[i];
        if (epoll_ctl(waiter->epoll_fd, EPOLL_CTL_DEL, fd, NULL) < 0) rb_sys_fail("epoll_ctl");
        waiter_line_up(waiter, fd);
    }
    return Qnil;
}

static void *waiter_wait_nogvl(void *pointer) {
    struct waiter_call *call = pointer;
    call->count = epoll_wait(call->epoll_fd, &call->event, 1, call->timeout_ms);
    call->saved_errno = errno;
    return NULL;
}

/* A descriptor that is ready now, or nil: does not sleep, and so keeps the Ruby lock. */
static VALUE waiter_look(VALUE self) {
    struct epoll_event event;
    int count = epoll_wait(waiter_get(self)->epoll_fd, &event, 1, 0);
    int saved = errno;
    if (count < 0 && saved != EINTR) rb_syserr_fail(saved, "epoll_wait");
    return count > 0 ? INT2NUM(event.data.fd) : Qnil;
}

/*
 * Sleeps until a descriptor is ready and answers it; nil after the timeout or a signal. One at a time: the kernel's
 * ready list takes turns.
 */
static VALUE waiter_wait(VALUE self, VALUE rb_timeout_ms) {
    struct waiter_call call = {.epoll_fd = waiter_get(self)->epoll_fd, .count = -1, .saved_errno = EINTR};
    call.timeout_ms = NIL_P(rb_timeout_ms) ? -1 : NUM2INT(rb_timeout_ms);
    /* without_gvl2 does not wait when a signal is pending: its handler may set the flag that the caller has just read.
     * */
    rb_thread_call_without_gvl2(waiter_wait_nogvl, &call, RUBY_UBF_IO, NULL);
    if (call.count > 0) return INT2NUM(call.event.data.fd);
    if (call.count < 0 && call.saved_errno != EINTR) rb_syserr_fail(call.saved_errno, "epoll_wait");
    rb_thread_check_ints();
    return Qnil;
}

/* Only this process's descriptor: a parent that shares the epoll instance keeps its own. */
static VALUE waiter_close(VALUE self) {
    struct waiter *waiter = waiter_get(self);
    if (waiter->epoll_fd >= 0) close(waiter->epoll_fd);
    waiter->epoll_fd = -1;
    return Qnil;
}

void Init_coppice_waiter(VALUE coppice) {
    VALUE klass = rb_define_class_under(coppice, "Waiter", rb_cObject);
    rb_define_alloc_func(klass, waiter_allocate);
    rb_define_method(klass, "initialize", waiter_initialize, -1);
    rb_define_method(klass, "look", waiter_look, 0);
    rb_define_method(klass, "go_last", waiter_go_last, 0);
    rb_define_method(klass, "wait", waiter_wait, 1);
    rb_define_method(klass, "close", waiter_close, 0);
}
