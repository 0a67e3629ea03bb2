#include "answer_ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "lobby_memory.h"

enum {
    ALIGNMENT = 16,
    /* So far the ring may be cold. Until the reader has passed a SKIP no more than this is free: several answers, so
     * that the worker need not wait for the reader after each. */
    REWIND_BYTES = COPPICE_RING_BYTES / 2
};

static size_t whole_length(size_t length) {
    return (sizeof(struct coppice_record) + length + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static char *bytes_at(const struct coppice_answer_ring *ring, uint64_t position) {
    return (char *)(uintptr_t)ring + COPPICE_LOBBY_PAGE + position % COPPICE_RING_BYTES;
}

size_t coppice_answer_ring_file_bytes(void) {
    return COPPICE_LOBBY_PAGE + COPPICE_RING_BYTES;
}

struct coppice_answer_ring *coppice_answer_ring_map(int fd, bool private_to_process) {
    size_t once = coppice_answer_ring_file_bytes();
    size_t whole = once + COPPICE_RING_BYTES;
    int protection = PROT_READ | PROT_WRITE;
    char *memory = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    if (mmap(memory, once, protection, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED &&
        mmap(memory + once, COPPICE_RING_BYTES, protection, MAP_SHARED | MAP_FIXED, fd, COPPICE_LOBBY_PAGE) !=
            MAP_FAILED &&
        (!private_to_process || madvise(memory, whole, MADV_DONTFORK) == 0)) {
        return (struct coppice_answer_ring *)(void *)memory;
    }
    int saved = errno;
    munmap(memory, whole);
    errno = saved;
    return NULL;
}

void coppice_answer_ring_unmap(struct coppice_answer_ring *ring) {
    munmap(ring, coppice_answer_ring_file_bytes() + COPPICE_RING_BYTES);
}

void coppice_answer_ring_init(struct coppice_answer_ring *ring) {
    memset(ring, 0, sizeof(*ring));
    ring->magic = COPPICE_LOBBY_MAGIC;
    ring->version = COPPICE_LOBBY_VERSION;
    ring->bytes = COPPICE_RING_BYTES;
}

void coppice_ring_writer_begin(struct coppice_ring_writer *writer, struct coppice_answer_ring *ring) {
    writer->ring = ring;
    writer->position = atomic_load(&ring->written);
}

static size_t free_bytes(const struct coppice_ring_writer *writer) {
    uint64_t read = atomic_load_explicit(&writer->ring->read, memory_order_acquire);
    return COPPICE_RING_BYTES - (size_t)(writer->position - read);
}

size_t coppice_ring_writer_room(const struct coppice_ring_writer *writer) {
    size_t room = free_bytes(writer);
    if (room <= sizeof(struct coppice_record)) return 0;
    room -= sizeof(struct coppice_record);
    return room < COPPICE_RING_RECORD_BYTES ? room : COPPICE_RING_RECORD_BYTES;
}

bool coppice_ring_writer_append(struct coppice_ring_writer *writer, struct coppice_record record,
                                const struct iovec *parts, int count) {
    size_t length = 0;
    for (int i = 0; i < count; i++) length += parts[i].iov_len;
    if (length > COPPICE_RING_RECORD_BYTES || whole_length(length) > free_bytes(writer)) return false;
    record.length = (uint32_t)length;
    char *to = bytes_at(writer->ring, writer->position);
    memcpy(to, &record, sizeof(record));
    to += sizeof(record);
    for (int i = 0; i < count; i++) {
        memcpy(to, parts[i].iov_base, parts[i].iov_len);
        to += parts[i].iov_len;
    }
    writer->position += whole_length(length);
    return true;
}

void coppice_ring_writer_rewind(struct coppice_ring_writer *writer) {
    size_t used = writer->position % COPPICE_RING_BYTES;
    if (used < REWIND_BYTES || free_bytes(writer) < COPPICE_RING_BYTES) return;
    /* One record goes to the end of the ring; its payload is never read, so it may be longer than any other. */
    struct coppice_record skip = {.type = COPPICE_RECORD_SKIP,
                                  .length = (uint32_t)(COPPICE_RING_BYTES - used - sizeof(skip))};
    memcpy(bytes_at(writer->ring, writer->position), &skip, sizeof(skip));
    writer->position += COPPICE_RING_BYTES - used;
}

void coppice_ring_writer_publish(struct coppice_ring_writer *writer) {
    atomic_store_explicit(&writer->ring->written, writer->position, memory_order_release);
}

bool coppice_ring_writer_stalled(const struct coppice_ring_writer *writer) {
    return atomic_load_explicit(&writer->ring->stalled, memory_order_relaxed) != 0;
}

bool coppice_ring_writer_waits(struct coppice_ring_writer *writer, size_t length, bool stalled) {
    atomic_store(&writer->ring->writer_waits, 1);
    atomic_thread_fence(memory_order_seq_cst);
    if (whole_length(length) > free_bytes(writer) || (stalled && coppice_ring_writer_stalled(writer))) return true;
    atomic_store(&writer->ring->writer_waits, 0);
    return false;
}

enum coppice_ring_result coppice_ring_reader_peek(const struct coppice_ring_reader *reader,
                                                  struct coppice_record *record, const char **payload) {
    uint64_t written = atomic_load_explicit(&reader->ring->written, memory_order_acquire);
    uint64_t available = written - reader->position;
    if (available == 0) return COPPICE_RING_EMPTY;
    if (available > COPPICE_RING_BYTES || available < sizeof(*record)) return COPPICE_RING_SPOILT;

    const char *from = bytes_at(reader->ring, reader->position);
    memcpy(record, from, sizeof(*record));
    bool skip = record->type == COPPICE_RECORD_SKIP;
    size_t longest = skip ? COPPICE_RING_BYTES - sizeof(*record) : COPPICE_RING_RECORD_BYTES;
    if (record->type < COPPICE_RECORD_HEAD || record->type > COPPICE_RECORD_SKIP || record->length > longest ||
        whole_length(record->length) > available) {
        return COPPICE_RING_SPOILT;
    }
    *payload = from + sizeof(*record);
    return COPPICE_RING_RECORD;
}

void coppice_ring_reader_pass(struct coppice_ring_reader *reader, const struct coppice_record *record) {
    reader->position += whole_length(record->length);
}

void coppice_ring_reader_stall(struct coppice_ring_reader *reader, bool stalled) {
    atomic_store_explicit(&reader->ring->stalled, stalled, memory_order_relaxed);
}

bool coppice_ring_reader_release(struct coppice_ring_reader *reader) {
    atomic_store(&reader->ring->read, reader->position);
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&reader->ring->writer_waits, memory_order_relaxed) == 1 &&
           atomic_exchange(&reader->ring->writer_waits, 0) == 1;
}
