#include "request_queue.h"

#include <string.h>

/* Owners that are no seats. */
enum { NOBODY = 0, SPARING = 0xfffe /* nobody yet, and not the heir */, WITHDRAWN = 0xffff };

static uint64_t cell_of(uint32_t position, uint16_t slot, uint16_t owner) {
    return (uint64_t)position << 32 | (uint64_t)slot << 16 | owner;
}

static uint32_t position_of(uint64_t cell) {
    return (uint32_t)(cell >> 32);
}

static uint16_t slot_of(uint64_t cell) {
    return (uint16_t)(cell >> 16);
}

static uint16_t owner_of(uint64_t cell) {
    return (uint16_t)cell;
}

static bool unowned(uint64_t cell) {
    return owner_of(cell) == NOBODY || owner_of(cell) == SPARING;
}

static _Atomic uint64_t *cell_at(struct coppice_request_queue *queue, uint32_t position) {
    return &queue->cells[position & (queue->size - 1)];
}

uint32_t coppice_request_queue_size(uint32_t slot_count) {
    uint32_t size = 64;
    while (size <= slot_count) size *= 2;
    return size;
}

size_t coppice_request_queue_bytes(uint32_t size) {
    return sizeof(struct coppice_request_queue) + size * sizeof(uint64_t);
}

/* The first position is 1, so that a cell of zeros is none. */
void coppice_request_queue_init(struct coppice_request_queue *queue, uint32_t size) {
    memset(queue, 0, coppice_request_queue_bytes(size));
    queue->magic = COPPICE_LOBBY_MAGIC;
    queue->version = COPPICE_LOBBY_VERSION;
    queue->size = size;
    atomic_store(&queue->head, 1);
    atomic_store(&queue->tail, 1);
}

uint32_t coppice_request_queue_push(struct coppice_request_queue *queue, uint16_t slot, bool spares_heir) {
    uint32_t position = atomic_load_explicit(&queue->tail, memory_order_relaxed);
    uint64_t cell = cell_of(position, slot, spares_heir ? SPARING : NOBODY);
    atomic_store_explicit(cell_at(queue, position), cell, memory_order_release);
    atomic_store_explicit(&queue->tail, position + 1, memory_order_release);
    return position;
}

int coppice_request_queue_owner(const struct coppice_request_queue *queue, uint32_t position, uint16_t slot) {
    uint64_t cell = atomic_load_explicit(&queue->cells[position & (queue->size - 1)], memory_order_acquire);
    if (position_of(cell) != position || slot_of(cell) != slot) return COPPICE_QUEUE_FORGOTTEN;
    if (unowned(cell)) return COPPICE_QUEUE_UNOWNED;
    if (owner_of(cell) == WITHDRAWN) return COPPICE_QUEUE_WITHDRAWN;
    return owner_of(cell) <= COPPICE_LOBBY_SEATS ? owner_of(cell) - 1 : COPPICE_QUEUE_FORGOTTEN;
}

bool coppice_request_queue_withdraw(struct coppice_request_queue *queue, uint32_t position, uint16_t slot) {
    uint64_t cell = atomic_load(cell_at(queue, position));
    if (position_of(cell) != position || slot_of(cell) != slot || !unowned(cell)) return false;
    return atomic_compare_exchange_strong(cell_at(queue, position), &cell, cell_of(position, slot, WITHDRAWN));
}

bool coppice_request_queue_sound(const struct coppice_request_queue *queue, uint32_t tail) {
    return queue->magic == COPPICE_LOBBY_MAGIC && atomic_load(&queue->tail) == tail &&
           tail - atomic_load(&queue->head) <= queue->size;
}

void coppice_request_queue_trim(struct coppice_request_queue *queue) {
    for (;;) {
        uint32_t head = atomic_load_explicit(&queue->head, memory_order_acquire);
        if (head == atomic_load_explicit(&queue->tail, memory_order_relaxed)) return;
        uint64_t cell = atomic_load_explicit(cell_at(queue, head), memory_order_acquire);
        if (position_of(cell) != head || unowned(cell)) return;
        atomic_compare_exchange_strong(&queue->head, &head, head + 1);
    }
}

static bool is_heir(struct coppice_request_queue *queue, uint16_t seat) {
    return atomic_load_explicit(&queue->heir, memory_order_relaxed) == (uint32_t)seat + 1;
}

static bool spares(struct coppice_request_queue *queue, uint16_t seat) {
    uint32_t head = atomic_load_explicit(&queue->head, memory_order_acquire);
    uint64_t cell = atomic_load_explicit(cell_at(queue, head), memory_order_acquire);
    return is_heir(queue, seat) && position_of(cell) == head && owner_of(cell) == SPARING;
}

bool coppice_request_queue_worker_free(const struct coppice_request_queue *queue, uint16_t seat) {
    return atomic_load_explicit(&queue->seats[seat].state, memory_order_relaxed) != COPPICE_WORKER_AWAKE;
}

bool coppice_request_queue_others_free(const struct coppice_request_queue *queue, uint16_t seat) {
    for (uint16_t other = 0; other < COPPICE_LOBBY_SEATS; other++) {
        if (other != seat && coppice_request_queue_worker_free(queue, other)) return true;
    }
    return false;
}

int coppice_request_queue_pop(struct coppice_request_queue *queue, uint16_t seat, bool any) {
    for (;;) {
        uint32_t head = atomic_load_explicit(&queue->head, memory_order_acquire);
        if (head == atomic_load_explicit(&queue->tail, memory_order_acquire)) return COPPICE_QUEUE_EMPTY;
        uint64_t cell = atomic_load_explicit(cell_at(queue, head), memory_order_acquire);
        if (position_of(cell) != head) {
            if (atomic_load_explicit(&queue->head, memory_order_acquire) != head) continue; /* others were faster */
            return COPPICE_QUEUE_EMPTY; /* spoilt: the lobby will see it */
        }
        if (!any && owner_of(cell) == SPARING && is_heir(queue, seat)) return COPPICE_QUEUE_SPARED;
        uint16_t slot = slot_of(cell);
        bool taken = unowned(cell) &&
                     atomic_compare_exchange_strong(cell_at(queue, head), &cell, cell_of(head, slot, seat + 1));
        /* The head moves on, even if another worker took this one. */
        uint32_t expected = head;
        atomic_compare_exchange_strong(&queue->head, &expected, head + 1);
        if (taken) return slot;
    }
}

/* Announcing and looking, on one side, and filling and looking for announcements, on the other, need one order. */
bool coppice_request_queue_worker_sleeps(struct coppice_request_queue *queue, uint16_t seat) {
    atomic_store(&queue->seats[seat].state, COPPICE_WORKER_ASLEEP);
    atomic_thread_fence(memory_order_seq_cst);
    if (coppice_request_queue_waiting(queue) == 0 || spares(queue, seat)) return true;
    coppice_request_queue_worker_wakes(queue, seat);
    return false;
}

bool coppice_request_queue_worker_wakes(struct coppice_request_queue *queue, uint16_t seat) {
    return atomic_exchange(&queue->seats[seat].state, COPPICE_WORKER_AWAKE) != COPPICE_WORKER_ASLEEP;
}

bool coppice_request_queue_wake_worker(struct coppice_request_queue *queue, uint16_t seat) {
    uint32_t asleep = COPPICE_WORKER_ASLEEP;
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&queue->seats[seat].state, memory_order_relaxed) != asleep) return false;
    return atomic_compare_exchange_strong(&queue->seats[seat].state, &asleep, COPPICE_WORKER_WOKEN);
}

bool coppice_request_queue_lobby_sleeps(struct coppice_request_queue *queue, uint32_t words, bool wants_workers) {
    atomic_store(&queue->lobby_state, wants_workers ? COPPICE_LOBBY_WANTS_WORKERS : COPPICE_LOBBY_ASLEEP);
    atomic_thread_fence(memory_order_seq_cst);
    for (uint32_t word = 0; word < words; word++) {
        if (atomic_load_explicit(&queue->answered[word], memory_order_relaxed) == 0) continue;
        coppice_request_queue_lobby_wakes(queue);
        return false;
    }
    return true;
}

void coppice_request_queue_lobby_wakes(struct coppice_request_queue *queue) {
    atomic_store(&queue->lobby_state, COPPICE_LOBBY_AWAKE);
}

static bool wake_lobby(struct coppice_request_queue *queue) {
    return atomic_exchange(&queue->lobby_state, COPPICE_LOBBY_AWAKE) != COPPICE_LOBBY_AWAKE;
}

bool coppice_request_queue_worker_wanted(struct coppice_request_queue *queue) {
    atomic_thread_fence(memory_order_seq_cst);
    uint32_t state = atomic_load_explicit(&queue->lobby_state, memory_order_relaxed);
    return state == COPPICE_LOBBY_WANTS_WORKERS && wake_lobby(queue);
}

bool coppice_request_queue_answered(struct coppice_request_queue *queue, uint16_t seat) {
    atomic_fetch_or(&queue->answered[seat / 64], UINT64_C(1) << (seat % 64));
    atomic_thread_fence(memory_order_seq_cst);
    uint32_t state = atomic_load_explicit(&queue->lobby_state, memory_order_relaxed);
    return state != COPPICE_LOBBY_AWAKE && wake_lobby(queue);
}

uint64_t coppice_request_queue_take_answered(struct coppice_request_queue *queue, uint32_t word) {
    if (atomic_load_explicit(&queue->answered[word], memory_order_relaxed) == 0) return 0;
    return atomic_exchange(&queue->answered[word], 0);
}
