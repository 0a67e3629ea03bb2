/*
 * A small lobby with workers, as threads or as processes that are killed, for the tests of queue and ring:
 *
 *   request_queue_driver threads|processes SEED REQUESTS
 *
 * Each request must be answered once, by the worker that owned it when it answered; what a killed worker had is pushed
 * again. A worker sleeps without a time limit but this program's: a wake-up that is missed aborts it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rings.h"
#include "shared/request_queue.h"

enum { SEATS = 5, SLOTS = 12, PATIENCE_MS = 20000, LONGEST_ANSWER = 40000, STOP = 0xfffe };

enum state { FREE, QUEUED };

struct slot {
    enum state state;
    uint32_t position;
    int owner; /* noted before its cell is used again, else COPPICE_QUEUE_UNOWNED */
    uint64_t serial;
};

struct seat {
    struct coppice_answer_ring *ring;
    struct coppice_ring_reader reader;
    int eventfd;
    pid_t pid;
    pthread_t thread;
};

static struct coppice_request_queue *queue;
static _Atomic uint64_t *serials; /* of the slots, as workers see them */
static _Atomic uint32_t *stopping;
static int lobby_eventfd;
static struct seat seats[SEATS];
static struct slot slots[SLOTS];
static uint64_t next_serial, pushed, done, killed, repeated, withdrawn;

/* Everything that was written to it is meant for this wait: that is announced before. */
static void wait_for(int fd) {
    CHECK(await_eventfd(fd, PATIENCE_MS));
}

static void publish(struct coppice_ring_writer *writer, uint16_t seat) {
    coppice_ring_writer_publish(writer);
    if (coppice_request_queue_answered(queue, seat)) coppice_wake(lobby_eventfd);
}

static void append(struct coppice_ring_writer *writer, uint16_t seat, struct coppice_record record, size_t length) {
    static const char bytes[LONGEST_ANSWER];
    struct iovec part = {.iov_base = (char *)bytes, .iov_len = length};
    while (!coppice_ring_writer_append(writer, record, &part, 1)) {
        publish(writer, seat);
        if (coppice_ring_writer_waits(writer, length, false)) wait_for(seats[seat].eventfd);
    }
}

/* So that some are killed with a request in hand. */
static void dawdle(uint64_t *random) {
    if (check_random(random, 8) == 0) usleep(check_random(random, 300));
}

static void work(uint16_t seat, uint64_t random) {
    struct coppice_ring_writer writer;
    coppice_ring_writer_begin(&writer, seats[seat].ring);
    bool any = false; /* the heir has left one to others */
    for (;;) {
        int slot = coppice_request_queue_pop(queue, seat, any);
        any = slot == COPPICE_QUEUE_SPARED;
        if (any) continue;
        if (slot == COPPICE_QUEUE_EMPTY) {
            if (atomic_load(stopping)) return;
            if (coppice_request_queue_worker_sleeps(queue, seat)) {
                if (coppice_request_queue_worker_wanted(queue)) coppice_wake(lobby_eventfd);
                wait_for(seats[seat].eventfd);
                coppice_request_queue_worker_wakes(queue, seat);
            }
            continue;
        }
        dawdle(&random);
        coppice_ring_writer_rewind(&writer);
        struct coppice_record record = {.type = COPPICE_RECORD_HEAD, .serial = atomic_load(&serials[slot])};
        append(&writer, seat, record, check_random(&random, 4) == 0 ? check_random(&random, LONGEST_ANSWER) : 100);
        publish(&writer, seat);
        dawdle(&random);
        record.type = COPPICE_RECORD_END;
        record.flags = COPPICE_RECORD_WHOLE;
        append(&writer, seat, record, 0);
        publish(&writer, seat);
    }
}

static void *work_in_thread(void *seat) {
    work((uint16_t)(uintptr_t)seat, 77 + (uintptr_t)seat);
    return NULL;
}

static void seat_worker(uint16_t number, bool process, uint64_t random) {
    struct seat *seat = &seats[number];
    coppice_answer_ring_init(seat->ring);
    seat->reader = (struct coppice_ring_reader){.ring = seat->ring};
    if (!process) {
        CHECK(pthread_create(&seat->thread, NULL, work_in_thread, (void *)(uintptr_t)number) == 0);
        return;
    }
    seat->pid = fork();
    CHECK(seat->pid >= 0);
    if (seat->pid > 0) return;
    work(number, random);
    _exit(0);
}

static void wake_workers(void) {
    uint32_t wanted = coppice_request_queue_waiting(queue);
    for (uint16_t seat = 0; seat < SEATS && wanted > 0; seat++) {
        if (!coppice_request_queue_wake_worker(queue, seat)) continue;
        coppice_wake(seats[seat].eventfd);
        wanted--;
    }
}

static int owner_of(uint32_t index) {
    const struct slot *slot = &slots[index];
    if (slot->owner != COPPICE_QUEUE_UNOWNED) return slot->owner;
    return coppice_request_queue_owner(queue, slot->position, (uint16_t)index);
}

/* The next push uses a cell again, whose request may still be served. */
static void note_owner(void) {
    uint32_t overwritten = atomic_load(&queue->tail) - queue->size;
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (slots[i].state == FREE || slots[i].position != overwritten) continue;
        slots[i].owner = owner_of(i);
        CHECK(slots[i].owner >= 0);
    }
}

static void push(uint32_t index) {
    struct slot *slot = &slots[index];
    note_owner();
    slot->state = QUEUED;
    slot->owner = COPPICE_QUEUE_UNOWNED;
    slot->serial = ++next_serial;
    atomic_store(&serials[index], slot->serial);
    slot->position = coppice_request_queue_push(queue, (uint16_t)index, slot->serial % 4 == 0);
}

/* At least one waits then or is served, unless all are done. */
static void push_some(uint64_t requests, uint64_t *random) {
    for (uint32_t i = 0; i < SLOTS && pushed < requests; i++) {
        if (slots[i].state != FREE || (pushed > done && check_random(random, 2) == 0)) continue;
        push(i);
        pushed++;
    }
}

/* An end is one of a request that this seat owns, and the only one. */
static void finish(const struct coppice_record *record, uint16_t seat) {
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (slots[i].state == FREE || slots[i].serial != record->serial) continue;
        CHECK(owner_of(i) == seat);
        slots[i].state = FREE;
        done++;
        return;
    }
    CHECK(!"an end of a request that nobody has");
}

static void read_ring(uint16_t seat) {
    struct coppice_record record;
    const char *payload;
    enum coppice_ring_result result;
    while ((result = coppice_ring_reader_peek(&seats[seat].reader, &record, &payload)) == COPPICE_RING_RECORD) {
        if (record.type == COPPICE_RECORD_END) finish(&record, seat);
        coppice_ring_reader_pass(&seats[seat].reader, &record);
        if (coppice_ring_reader_release(&seats[seat].reader)) coppice_wake(seats[seat].eventfd);
    }
    CHECK(result == COPPICE_RING_EMPTY);
}

static void read_answers(void) {
    uint64_t bits = coppice_request_queue_take_answered(queue, 0);
    for (uint16_t seat = 0; seat < SEATS; seat++) {
        if (bits & UINT64_C(1) << seat) read_ring(seat);
    }
}

/* What it had and has not answered goes to another. */
static void kill_worker(uint16_t seat, uint64_t random) {
    uint64_t count;
    CHECK(kill(seats[seat].pid, SIGKILL) == 0);
    CHECK(waitpid(seats[seat].pid, NULL, 0) == seats[seat].pid);
    killed++;
    read_ring(seat);
    coppice_request_queue_worker_wakes(queue, seat);
    if (read(seats[seat].eventfd, &count, sizeof(count)) < 0) count = 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (slots[i].state == FREE || owner_of(i) != seat) continue;
        push(i);
        repeated++;
    }
    seat_worker(seat, true, random);
}

static void withdraw(uint32_t index) {
    if (slots[index].state == FREE) return;
    if (!coppice_request_queue_withdraw(queue, slots[index].position, (uint16_t)index)) return;
    CHECK(coppice_request_queue_owner(queue, slots[index].position, (uint16_t)index) == COPPICE_QUEUE_WITHDRAWN);
    withdrawn++;
    push(index);
}

static void *shared(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

static void make_all(void) {
    uint32_t size = coppice_request_queue_size(SLOTS);
    queue = shared(coppice_request_queue_bytes(size));
    coppice_request_queue_init(queue, size);
    atomic_store(&queue->heir, 3); /* seat 2 */
    serials = shared(SLOTS * sizeof(*serials));
    stopping = shared(sizeof(*stopping));
    lobby_eventfd = eventfd(0, EFD_NONBLOCK);
    int ring_fd;
    for (uint16_t seat = 0; seat < SEATS; seat++) {
        seats[seat].eventfd = eventfd(0, EFD_NONBLOCK);
        seats[seat].ring = make_ring(&ring_fd);
    }
}

static void end_workers(bool processes) {
    atomic_store(stopping, 1);
    for (uint16_t seat = 0; seat < SEATS; seat++) {
        int status = 0;
        coppice_request_queue_wake_worker(queue, seat);
        coppice_wake(seats[seat].eventfd);
        if (!processes) CHECK(pthread_join(seats[seat].thread, NULL) == 0);
        if (processes) CHECK(waitpid(seats[seat].pid, &status, 0) == seats[seat].pid && status == 0);
    }
}

int main(int count, char **arguments) {
    CHECK(count == 4);
    bool processes = strcmp(arguments[1], "processes") == 0;
    uint64_t random = strtoull(arguments[2], NULL, 10) * 2654435761u + 1;
    uint64_t requests = strtoull(arguments[3], NULL, 10);
    make_all();
    for (uint16_t seat = 0; seat < SEATS; seat++) seat_worker(seat, processes, seat + 1);
    while (done < requests) {
        push_some(requests, &random);
        if (check_random(&random, 4) == 0) withdraw(check_random(&random, SLOTS));
        wake_workers();
        if (processes && check_random(&random, 6) == 0) {
            usleep(check_random(&random, 150));
            kill_worker((uint16_t)check_random(&random, SEATS), random);
            wake_workers();
        }
        read_answers();
        bool busy = check_random(&random, 2) == 0; /* an awake lobby gets no wake-ups */
        bool wants_workers = check_random(&random, 2) == 0;
        bool sleeps = pushed > done && !busy;
        if (sleeps && coppice_request_queue_lobby_sleeps(queue, COPPICE_LOBBY_SEATS / 64, wants_workers)) {
            wait_for(lobby_eventfd);
            coppice_request_queue_lobby_wakes(queue);
        }
    }
    CHECK(coppice_request_queue_waiting(queue) == 0);
    CHECK(coppice_request_queue_pop(queue, 0, true) == COPPICE_QUEUE_EMPTY);
    end_workers(processes);
    printf("done=%llu killed=%llu repeated=%llu withdrawn=%llu\n", (unsigned long long)done,
           (unsigned long long)killed, (unsigned long long)repeated, (unsigned long long)withdrawn);
    return 0;
}
