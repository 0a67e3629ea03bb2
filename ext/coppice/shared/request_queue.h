#ifndef COPPICE_REQUEST_QUEUE_H
#define COPPICE_REQUEST_QUEUE_H

/*
 * The queue of requests between the lobby and all workers, in pure C and in shared memory: one pushes, many pop. A cell
 * holds its position, the slot and the seat that took it in one word, so that one compare-and-swap both takes a request
 * and says who has it: whenever a worker dies, the lobby knows what it had.
 *
 * Nobody waits for anybody: a worker that was stopped or killed between two steps is helped by the next one.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "lobby_memory.h"

enum {
    COPPICE_QUEUE_EMPTY = -1,
    COPPICE_QUEUE_SPARED = -4, /* the next one is for another worker than the heir */
    COPPICE_QUEUE_UNOWNED = -1, /* nobody has taken it yet */
    COPPICE_QUEUE_WITHDRAWN = -2, /* the lobby has taken it back */
    COPPICE_QUEUE_FORGOTTEN = -3  /* its cell was used again, or is spoilt */
};

enum {
    COPPICE_WORKER_AWAKE = 0,
    COPPICE_WORKER_ASLEEP = 1, /* it waits for its eventfd */
    COPPICE_WORKER_WOKEN = 2   /* the lobby has written to it, and counts on this worker */
};

enum {
    COPPICE_LOBBY_AWAKE = 0,
    COPPICE_LOBBY_ASLEEP = 1,      /* who answers sets AWAKE, and writes to its eventfd */
    COPPICE_LOBBY_WANTS_WORKERS = 2 /* so does a worker that falls asleep, or takes what it was woken for */
};

struct coppice_queue_seat {
    _Alignas(64) _Atomic uint32_t state; /* COPPICE_WORKER_AWAKE and the like */
};

struct coppice_request_queue {
    uint64_t magic;
    uint32_t version;
    uint32_t size;            /* number of cells, a power of two, more than there are slots */
    _Atomic uint32_t closing; /* 1: answers say "connection: close" */
    _Atomic uint32_t heir;    /* seat + 1 of the worker that is spared some requests; 0 for none */
    _Alignas(64) _Atomic uint32_t lobby_state;    /* COPPICE_LOBBY_AWAKE and the like */
    _Alignas(64) _Atomic uint32_t head;           /* the next position to take */
    _Alignas(64) _Atomic uint32_t tail;           /* the next position to fill; only the lobby moves it */
    _Alignas(64) _Atomic uint64_t answered[COPPICE_LOBBY_SEATS / 64]; /* a bit for each ring with something to read */
    struct coppice_queue_seat seats[COPPICE_LOBBY_SEATS];
    _Atomic uint64_t cells[]; /* position << 32 | slot << 16 | owner: seat + 1, or what request_queue.c has for none */
};

/* The size of a queue with room for so many slots, and its bytes. */
uint32_t coppice_request_queue_size(uint32_t slot_count);
size_t coppice_request_queue_bytes(uint32_t size);

/* Makes an empty queue of it. */
void coppice_request_queue_init(struct coppice_request_queue *queue, uint32_t size);

/* Of the lobby. Answers the position. The caller has fewer requests in the queue than it has cells. spares_heir: another
 * worker is to take it. */
uint32_t coppice_request_queue_push(struct coppice_request_queue *queue, uint16_t slot, bool spares_heir);
/* The seat that took what was pushed at this position, or COPPICE_QUEUE_UNOWNED and the like. A cell is used again by
 * the push at position + size, even while its request is served: note the owner before that one. */
int coppice_request_queue_owner(const struct coppice_request_queue *queue, uint32_t position, uint16_t slot);
/* Takes a request back; false when a worker was faster. */
bool coppice_request_queue_withdraw(struct coppice_request_queue *queue, uint32_t position, uint16_t slot);
/* Goes past requests that were taken back, and are the next ones to take: workers that are busy leave them there. */
void coppice_request_queue_trim(struct coppice_request_queue *queue);
/* Whether head and tail can be as they are; false means that a process has written where it should not. */
bool coppice_request_queue_sound(const struct coppice_request_queue *queue, uint32_t tail);

/* How many may wait; at most the size. */
static inline uint32_t coppice_request_queue_waiting(const struct coppice_request_queue *queue) {
    uint32_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);
    uint32_t count = atomic_load_explicit(&queue->tail, memory_order_relaxed) - head;
    return count <= queue->size ? count : 0;
}

/* Of a worker: the next request's slot, COPPICE_QUEUE_EMPTY, or SPARED, unless the heir takes any. */
int coppice_request_queue_pop(struct coppice_request_queue *queue, uint16_t seat, bool any);
/* Whether another worker than this one sleeps, or was woken and has not looked yet. */
bool coppice_request_queue_others_free(const struct coppice_request_queue *queue, uint16_t seat);

/*
 * Sleeping without losing a wake-up: announce, look once more, sleep, return. announce answers whether there is nothing
 * to do, so that the caller may sleep; else it has taken the announcement back.
 */
bool coppice_request_queue_worker_sleeps(struct coppice_request_queue *queue, uint16_t seat);
/* Of a worker that has announced it, or was woken and has taken a request: whether the lobby sleeps for want of workers;
 * then its eventfd is to be written. */
bool coppice_request_queue_worker_wanted(struct coppice_request_queue *queue);
/* Takes the announcement back; answers whether the lobby has taken it, and so counts on this worker for a request. */
bool coppice_request_queue_worker_wakes(struct coppice_request_queue *queue, uint16_t seat);
/* Of the lobby: whether it sleeps, or was woken and has not looked yet. */
bool coppice_request_queue_worker_free(const struct coppice_request_queue *queue, uint16_t seat);
/* Of the lobby: whether this worker slept; then its eventfd is to be written. */
bool coppice_request_queue_wake_worker(struct coppice_request_queue *queue, uint16_t seat);

/* words: of `answered` in which there is a seat. wants_workers: it is to be woken by the next one that sleeps; look for
 * free ones once more before the wait. */
bool coppice_request_queue_lobby_sleeps(struct coppice_request_queue *queue, uint32_t words, bool wants_workers);
void coppice_request_queue_lobby_wakes(struct coppice_request_queue *queue);
/* Of a worker: there is something in its ring. Answers whether the lobby slept; then its eventfd is to be written. */
bool coppice_request_queue_answered(struct coppice_request_queue *queue, uint16_t seat);
/* Of the lobby: takes the bits of one word: seats word * 64 and up. */
uint64_t coppice_request_queue_take_answered(struct coppice_request_queue *queue, uint32_t word);

/* Writes to an eventfd, of a worker or of the lobby. */
static inline void coppice_wake(int eventfd) {
    uint64_t one = 1;
    (void)!write(eventfd, &one, sizeof(one));
}

#endif
