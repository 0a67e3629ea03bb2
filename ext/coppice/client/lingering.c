/*
 * Coppice::Http::Lingering: clients that have their answer and may still be sending. Closing a socket with unread
 * bytes makes the kernel send a reset, which can destroy an answer on its way. So what these clients send is read and
 * discarded until they leave, pause, or have had MAX_MS.
 *
 * No worker waits for them: it attends to them between two requests, and its waiter wakes it for their bytes. A busy
 * worker comes later. Meanwhile the kernel keeps their bytes and then stops taking more, which costs them time but not
 * the answer: a client is closed for a pause only after a look that finds nothing to read. A helper thread would be
 * more punctual, but would have to be stopped and started again around each fork.
 */
#include <errno.h>
#include <ruby.h>
#include <ruby/thread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "coppice_ext.h"
#include "lingering.h"
#include "os/portable_epoll.h"
#include "shared/socket_io.h"

enum {
    MAX_CLIENTS = 128, /* beyond, the oldest is closed */
    MAX_MS = 30 * 1000,
    PIECE_BYTES = 16 * 1024,
    MAX_PIECES = 64 /* of one client in a row */
};

struct client {
    int fd;
    int64_t silent_until_ms; /* closed if nothing comes until then */
    int64_t until_ms;
};

struct lingering {
    int epoll_fd;
    int64_t pause_ms;
    int count;
    struct client clients[MAX_CLIENTS]; /* oldest first */
};

/* A process forked from this one, or the one that forked it, may share the epoll instance: so it is only closed, and no
 * client is removed from it. */
static void close_all(struct lingering *lingering) {
    for (int i = 0; i < lingering->count; i++) close(lingering->clients[i].fd);
    lingering->count = 0;
    if (lingering->epoll_fd >= 0) coppice_epoll_close(lingering->epoll_fd);
    lingering->epoll_fd = -1;
}

static void lingering_free(void *pointer) {
    close_all(pointer);
    ruby_xfree(pointer);
}

static size_t lingering_size(const void *pointer) {
    return sizeof(struct lingering);
}

static const rb_data_type_t lingering_type = {
    .wrap_struct_name = "Coppice::Http::Lingering",
    .function = {.dfree = lingering_free, .dsize = lingering_size},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static struct lingering *lingering_get(VALUE self) {
    struct lingering *lingering;
    TypedData_Get_Struct(self, struct lingering, &lingering_type, lingering);
    return lingering;
}

static VALUE lingering_allocate(VALUE klass) {
    struct lingering *lingering;
    VALUE self = TypedData_Make_Struct(klass, struct lingering, &lingering_type, lingering);
    lingering->epoll_fd = -1;
    return self;
}

/* Lingering.new(pause_ms): how long a client may send nothing. */
static VALUE lingering_initialize(VALUE self, VALUE pause_ms) {
    struct lingering *lingering = lingering_get(self);
    lingering->pause_ms = NUM2INT(pause_ms);
    lingering->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (lingering->epoll_fd < 0) rb_sys_fail("epoll_create1");
    return self;
}

/* Removed from epoll by a call of its own: closing does that only when no other process has a copy of the descriptor.
 * */
static void close_client(struct lingering *lingering, int index) {
    struct client *client = &lingering->clients[index];
    epoll_ctl(lingering->epoll_fd, EPOLL_CTL_DEL, client->fd, NULL);
    close(client->fd);
    memmove(client, client + 1, (size_t)(lingering->count - index - 1) * sizeof(*client));
    lingering->count--;
}

static bool watch(const struct lingering *lingering, int fd) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return epoll_ctl(lingering->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

void coppice_lingering_add(VALUE self, int fd) {
    struct lingering *lingering = NIL_P(self) ? NULL : lingering_get(self);
    if (!lingering || lingering->epoll_fd < 0 || shutdown(fd, SHUT_WR) < 0 || !watch(lingering, fd)) {
        close(fd);
        return;
    }
    if (lingering->count == MAX_CLIENTS) close_client(lingering, 0);
    int64_t now_ms = coppice_monotonic_ms();
    lingering->clients[lingering->count++] =
        (struct client){.fd = fd, .silent_until_ms = now_ms + lingering->pause_ms, .until_ms = now_ms + MAX_MS};
}

/* Answers whether the client is still there. */
static bool discard(int fd) {
    static char waste[PIECE_BYTES]; /* shared on purpose: it is never read */
    for (int i = 0; i < MAX_PIECES; i++) {
        ssize_t count = recv(fd, waste, sizeof(waste), MSG_DONTWAIT);
        int error = errno;
        if (count < 0) return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
        if (count == 0) return false;
    }
    return true;
}

static int index_of(const struct lingering *lingering, int fd) {
    int index = 0;
    while (index < lingering->count && lingering->clients[index].fd != fd) index++;
    return index;
}

static void discard_what_came(struct lingering *lingering, int64_t now_ms) {
    struct epoll_event events[MAX_CLIENTS]; /* for all: a client that is not checked would seem silent */
    int ready = epoll_wait(lingering->epoll_fd, events, MAX_CLIENTS, 0);
    for (int i = 0; i < ready; i++) {
        int index = index_of(lingering, events[i].data.fd);
        if (index == lingering->count) continue; /* closed by another owner of the descriptor */
        if (discard(events[i].data.fd))
            lingering->clients[index].silent_until_ms = now_ms + lingering->pause_ms;
        else
            close_client(lingering, index);
    }
}

static int64_t end_of(const struct client *client) {
    return client->silent_until_ms < client->until_ms ? client->silent_until_ms : client->until_ms;
}

static void attend(struct lingering *lingering) {
    int64_t now_ms = coppice_monotonic_ms();
    discard_what_came(lingering, now_ms);
    for (int i = lingering->count - 1; i >= 0; i--) {
        if (end_of(&lingering->clients[i]) <= now_ms) close_client(lingering, i);
    }
}

/* attend: throws away what the clients have sent, and closes those whose time is over. Does not wait. */
static VALUE lingering_attend(VALUE self) {
    struct lingering *lingering = lingering_get(self);
    if (lingering->count > 0) attend(lingering);
    return Qnil;
}

static int64_t next_end_ms(const struct lingering *lingering, int64_t latest_ms) {
    for (int i = 0; i < lingering->count; i++) {
        int64_t end_ms = end_of(&lingering->clients[i]);
        if (end_ms < latest_ms) latest_ms = end_ms;
    }
    return latest_ms;
}

struct clients_wait {
    int epoll_fd;
    int timeout_ms;
};

static void *wait_nogvl(void *pointer) {
    struct clients_wait *wait = pointer;
    struct epoll_event event;
    epoll_wait(wait->epoll_fd, &event, 1, wait->timeout_ms);
    return NULL;
}

/* Until one of them has sent something, or this instant, which is at most some seconds away; or for less. */
static void wait_for_clients(const struct lingering *lingering, int64_t until_ms) {
    int64_t left_ms = until_ms - coppice_monotonic_ms();
    struct clients_wait wait = {.epoll_fd = lingering->epoll_fd, .timeout_ms = left_ms < 0 ? 0 : (int)left_ms};
    rb_thread_call_without_gvl(wait_nogvl, &wait, RUBY_UBF_IO, NULL);
    rb_thread_check_ints();
}

/* finish(limit_ms): attends to all until none is left, for no longer than that, and closes. */
static VALUE lingering_finish(VALUE self, VALUE limit_ms) {
    struct lingering *lingering = lingering_get(self);
    int64_t latest_ms = coppice_monotonic_ms() + NUM2INT(limit_ms);
    while (lingering->count > 0 && coppice_monotonic_ms() < latest_ms) {
        wait_for_clients(lingering, next_end_ms(lingering, latest_ms));
        attend(lingering);
    }
    close_all(lingering);
    return Qnil;
}

/* close: at once; also for a process that was forked from the one that these are clients of, which keeps them. */
static VALUE lingering_close(VALUE self) {
    close_all(lingering_get(self));
    return Qnil;
}

/* fileno -> Integer: a descriptor that is readable when there is something to attend to. */
static VALUE lingering_fileno(VALUE self) {
    return INT2NUM(lingering_get(self)->epoll_fd);
}

static VALUE lingering_count(VALUE self) {
    return INT2NUM(lingering_get(self)->count);
}

void Init_coppice_lingering(VALUE coppice) {
    VALUE klass = rb_define_class_under(rb_define_module_under(coppice, "Http"), "Lingering", rb_cObject);
    rb_define_alloc_func(klass, lingering_allocate);
    rb_define_method(klass, "initialize", lingering_initialize, 1);
    rb_define_method(klass, "attend", lingering_attend, 0);
    rb_define_method(klass, "finish", lingering_finish, 1);
    rb_define_method(klass, "close", lingering_close, 0);
    rb_define_method(klass, "fileno", lingering_fileno, 0);
    rb_define_method(klass, "count", lingering_count, 0);
}
