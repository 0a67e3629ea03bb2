/*
 * Coppice::LobbySeat: a worker's place at the lobby (see lobby_memory.h): what it has mapped, its ring, and how the
 * worker sleeps.
 */
#include "lobby_seat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "connection.h"
#include "coppice_ext.h"
#include "os/fd_wait.h"

enum { ROOM_FOR_THE_END = 2 * sizeof(struct coppice_record) /* with its payload; no data may take it */ };

static bool ours(const struct coppice_lobby_seat *seat) {
    return seat->queue && seat->fork_count == coppice_fork_count();
}

static void close_descriptor(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* A forked process has the descriptors, and nothing at the addresses. */
static void leave(struct coppice_lobby_seat *seat) {
    if (seat->fork_count == coppice_fork_count()) {
        if (seat->requests) munmap((void *)(uintptr_t)seat->requests, seat->requests_bytes);
        if (seat->queue) munmap(seat->queue, seat->queue_bytes);
        if (seat->writer.ring) coppice_answer_ring_unmap(seat->writer.ring);
    }
    seat->requests = NULL;
    seat->queue = NULL;
    seat->writer.ring = NULL;
    seat->slot = NULL;
    close_descriptor(&seat->own_eventfd);
    close_descriptor(&seat->lobby_eventfd);
    close_descriptor(&seat->socket);
}

static void seat_free(void *pointer) {
    leave(pointer);
    ruby_xfree(pointer);
}

static size_t seat_size(const void *pointer) {
    return sizeof(struct coppice_lobby_seat);
}

static const rb_data_type_t seat_type = {
    .wrap_struct_name = "Coppice::LobbySeat",
    .function = {.dfree = seat_free, .dsize = seat_size},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE seat_allocate(VALUE klass) {
    struct coppice_lobby_seat *seat;
    VALUE self = TypedData_Make_Struct(klass, struct coppice_lobby_seat, &seat_type, seat);
    seat->own_eventfd = seat->lobby_eventfd = seat->socket = -1;
    seat->fork_count = coppice_fork_count();
    return self;
}

static struct coppice_lobby_seat *seat_get(VALUE self) {
    struct coppice_lobby_seat *seat;
    TypedData_Get_Struct(self, struct coppice_lobby_seat, &seat_type, seat);
    return seat;
}

struct coppice_lobby_seat *coppice_lobby_seat_get(VALUE self) {
    struct coppice_lobby_seat *seat = seat_get(self);
    if (!ours(seat)) rb_raise(rb_eIOError, "the seat is closed, or belongs to the process that forked this one");
    return seat;
}

/* What workers share takes address space before it takes memory. */
static void fail_to_map(void) {
    if (errno != ENOMEM) rb_sys_fail("mmap");
    rb_sys_fail("mmap of what the lobby shares: raise the limit of address space (ulimit -v, LimitAS=)");
}

static void *map(int fd, int protection, size_t *bytes) {
    struct stat stat;
    if (fstat(fd, &stat) < 0) rb_sys_fail("fstat");
    *bytes = (size_t)stat.st_size;
    void *memory = mmap(NULL, *bytes, protection, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) fail_to_map();
#ifdef MADV_DONTFORK
    madvise(memory, *bytes, MADV_DONTFORK);
#endif
    return memory;
}

static int duplicate(VALUE fd) {
    int copy = fcntl(NUM2INT(fd), F_DUPFD_CLOEXEC, 3);
    if (copy < 0) rb_sys_fail("fcntl");
    return copy;
}

static void check(const char *what, uint64_t magic, uint32_t version, bool fits) {
    if (magic == COPPICE_LOBBY_MAGIC && version == COPPICE_LOBBY_VERSION && fits) return;
    rb_raise(rb_eArgError, "%s of the lobby: not of version %d", what, COPPICE_LOBBY_VERSION);
}

static void check_requests(const struct coppice_lobby_requests *requests, size_t bytes) {
    bool fits = bytes >= sizeof(*requests) && requests->bytes_at >= sizeof(struct coppice_lobby_slot) &&
                requests->slot_bytes > requests->bytes_at &&
                requests->slots_at + (uint64_t)requests->slot_count * requests->slot_bytes <= bytes;
    check("the requests", requests->magic, requests->version, fits);
}

static void check_queue(const struct coppice_request_queue *queue, size_t bytes) {
    bool fits = bytes >= sizeof(*queue) && coppice_request_queue_bytes(queue->size) <= bytes;
    check("the queue", queue->magic, queue->version, fits);
}

/*
 * LobbySeat.new(seat, requests, queue, ring, own_eventfd, lobby_eventfd, socket): its number and descriptors, which
 * stay the caller's.
 */
static VALUE seat_initialize(VALUE self, VALUE number, VALUE requests, VALUE queue, VALUE ring, VALUE own_eventfd,
                             VALUE lobby_eventfd, VALUE socket) {
    struct coppice_lobby_seat *seat = seat_get(self);
    if (NUM2UINT(number) >= COPPICE_LOBBY_SEATS) rb_raise(rb_eArgError, "there is no seat %u", NUM2UINT(number));
    seat->number = (uint16_t)NUM2UINT(number);
    seat->requests = map(NUM2INT(requests), PROT_READ, &seat->requests_bytes);
    check_requests(seat->requests, seat->requests_bytes);
    seat->queue = map(NUM2INT(queue), PROT_READ | PROT_WRITE, &seat->queue_bytes);
    check_queue(seat->queue, seat->queue_bytes);
    struct coppice_answer_ring *mapped = coppice_answer_ring_map(NUM2INT(ring), true);
    if (!mapped) fail_to_map();
    coppice_ring_writer_begin(&seat->writer, mapped);
    coppice_request_queue_worker_wakes(seat->queue, seat->number); /* the last worker of this seat may have slept */
    check("the ring", mapped->magic, mapped->version, mapped->bytes == COPPICE_RING_BYTES);
    seat->own_eventfd = duplicate(own_eventfd);
    seat->lobby_eventfd = duplicate(lobby_eventfd);
    seat->socket = duplicate(socket);
    return self;
}

/* LobbySeat.prepare_ring(fd): makes an empty ring of this file. */
static VALUE seat_prepare_ring(VALUE klass, VALUE rb_fd) {
    int fd = NUM2INT(rb_fd);
    if (ftruncate(fd, (off_t)coppice_answer_ring_file_bytes()) < 0) rb_sys_fail("ftruncate");
    struct coppice_answer_ring *ring = coppice_answer_ring_map(fd, false);
    if (!ring) rb_sys_fail("mmap");
    coppice_answer_ring_init(ring);
    coppice_answer_ring_unmap(ring);
    return Qnil;
}

size_t coppice_lobby_seat_room(const struct coppice_lobby_seat *seat) {
    size_t room = coppice_ring_writer_room(&seat->writer);
    return room > ROOM_FOR_THE_END ? room - ROOM_FOR_THE_END : 0;
}

bool coppice_lobby_seat_connected(const struct coppice_lobby_seat *seat) {
    char byte;
    return recv(seat->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
}

/* What was written to the eventfd before the announcement is not meant; what is written after it ends the wait. */
bool coppice_lobby_seat_wait(struct coppice_lobby_seat *seat, short events, int64_t deadline_ms) {
    if (events == POLLIN) return coppice_wait_for_fd(seat->socket, POLLIN, deadline_ms);
    uint64_t count;
    if (read(seat->own_eventfd, &count, sizeof(count)) < 0 && errno != EAGAIN && errno != EINTR) return true;
    if (!coppice_ring_writer_waits(&seat->writer, COPPICE_LOBBY_WANTED_ROOM + ROOM_FOR_THE_END, false)) return true;
    return coppice_wait_for_fd(seat->own_eventfd, POLLIN, deadline_ms);
}

void coppice_lobby_seat_offer(struct coppice_lobby_seat *seat) {
    if (coppice_request_queue_worker_wanted(seat->queue)) coppice_wake(seat->lobby_eventfd);
}

void coppice_lobby_seat_publish(struct coppice_lobby_seat *seat) {
    coppice_ring_writer_publish(&seat->writer);
    if (coppice_request_queue_answered(seat->queue, seat->number)) coppice_wake(seat->lobby_eventfd);
}

void coppice_lobby_seat_end(struct coppice_lobby_seat *seat, uint8_t flags) {
    struct coppice_record end = {.type = COPPICE_RECORD_END, .flags = flags, .serial = seat->serial};
    struct iovec started = {.iov_base = &seat->started_us, .iov_len = sizeof(seat->started_us)};
    coppice_ring_writer_append(&seat->writer, end, &started, 1);
    coppice_lobby_seat_publish(seat);
    seat->slot = NULL;
}

bool coppice_lobby_seat_may_take(const struct coppice_lobby_seat *seat) {
    return coppice_ring_writer_room(&seat->writer) >= COPPICE_LOBBY_ROOM_TO_TAKE &&
           !coppice_ring_writer_stalled(&seat->writer);
}

/* sleep? -> whether the worker may wait for its eventfd: there is no request, or it may take none. */
static VALUE seat_sleep_p(VALUE self) {
    struct coppice_lobby_seat *seat = coppice_lobby_seat_get(self);
    if (!coppice_lobby_seat_may_take(seat)) {
        return coppice_ring_writer_waits(&seat->writer, COPPICE_LOBBY_ROOM_TO_TAKE, true) ? Qtrue : Qfalse;
    }
    if (!coppice_request_queue_worker_sleeps(seat->queue, seat->number)) return Qfalse;
    coppice_lobby_seat_offer(seat);
    return Qtrue;
}

/* awake -> whether the lobby has woken this worker for a request, which waits until a worker looks for it. */
static VALUE seat_awake(VALUE self) {
    struct coppice_lobby_seat *seat = coppice_lobby_seat_get(self);
    seat->woken = coppice_request_queue_worker_wakes(seat->queue, seat->number);
    return seat->woken ? Qtrue : Qfalse;
}

/* ended? -> whether the lobby has closed its end: no request comes any more. Between two requests. */
static VALUE seat_ended_p(VALUE self) {
    const struct coppice_lobby_seat *seat = coppice_lobby_seat_get(self);
    char byte;
    ssize_t count;
    do count = recv(seat->socket, &byte, 1, MSG_DONTWAIT); /* packets that nobody waits for any more */
    while (count > 0);
    int error = errno;
    return count == 0 || (error != EAGAIN && error != EINTR) ? Qtrue : Qfalse;
}

/* fileno -> the worker's eventfd, which is written to wake it and never counts. */
static VALUE seat_fileno(VALUE self) {
    return INT2NUM(seat_get(self)->own_eventfd);
}

/* socket_fileno -> its end of the seat's socket. */
static VALUE seat_socket_fileno(VALUE self) {
    return INT2NUM(seat_get(self)->socket);
}

/* close: between two requests, or in a process that was forked. */
static VALUE seat_close(VALUE self) {
    struct coppice_lobby_seat *seat = seat_get(self);
    if (ours(seat) && seat->slot) rb_raise(rb_eIOError, "the last request of this seat has not ended");
    leave(seat);
    return Qnil;
}

void Init_coppice_lobby_seat(VALUE coppice) {
    VALUE klass = rb_define_class_under(coppice, "LobbySeat", rb_cObject);
    rb_define_alloc_func(klass, seat_allocate);
    rb_define_singleton_method(klass, "prepare_ring", seat_prepare_ring, 1);
    rb_define_method(klass, "initialize", seat_initialize, 7);
    rb_define_method(klass, "sleep?", seat_sleep_p, 0);
    rb_define_method(klass, "awake", seat_awake, 0);
    rb_define_method(klass, "ended?", seat_ended_p, 0);
    rb_define_method(klass, "fileno", seat_fileno, 0);
    rb_define_method(klass, "socket_fileno", seat_socket_fileno, 0);
    rb_define_method(klass, "close", seat_close, 0);
}
