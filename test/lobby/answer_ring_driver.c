/*
 * Writer and reader of an answer ring on two threads, for its tests:
 *
 *   answer_ring_driver stream SEED RECORDS   random sizes and pauses, and a ring that is full most of the time
 *   answer_ring_driver spoil SEED ROUNDS     a writer that writes what it likes
 *
 * All bytes arrive in order; a wake-up that is missed aborts; whatever a writer does, the reader never looks outside.
 */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>

#include "rings.h"
#include "shared/request_queue.h"

enum { PATIENCE_MS = 20000, ANSWER_RECORDS = 5, CATCHES_UP = 40 * ANSWER_RECORDS };

static struct coppice_answer_ring *ring;
static int writer_eventfd, reader_eventfd;
static _Atomic uint32_t reader_waits;
static uint64_t seed, records;

static void wait_for(int fd) {
    CHECK(await_eventfd(fd, PATIENCE_MS));
}

static uint32_t random_length(uint64_t *random) {
    switch (check_random(random, 4)) {
    case 0:
        return COPPICE_RING_RECORD_BYTES - check_random(random, 40);
    case 1:
        return check_random(random, 40);
    default:
        return check_random(random, COPPICE_RING_RECORD_BYTES);
    }
}

static void publish(struct coppice_ring_writer *writer) {
    coppice_ring_writer_publish(writer);
    if (atomic_exchange(&reader_waits, 0)) coppice_wake(reader_eventfd);
}

/* Until the reader has read everything: else chance would decide whether the writer ever goes back to the start. */
static void await_reader(struct coppice_ring_writer *writer) {
    publish(writer);
    while (coppice_ring_writer_waits(writer, COPPICE_RING_BYTES - sizeof(struct coppice_record), false))
        wait_for(writer_eventfd);
}

static void *write_all(void *nothing) {
    uint64_t random = seed, next = 0;
    struct coppice_ring_writer writer;
    coppice_ring_writer_begin(&writer, ring);
    for (uint64_t i = 0; i < records; i++) {
        static uint8_t bytes[COPPICE_RING_RECORD_BYTES];
        uint32_t length = random_length(&random);
        for (uint32_t at = 0; at < length; at++) bytes[at] = (uint8_t)(next++ % 251);
        struct coppice_record record = {.type = COPPICE_RECORD_DATA, .serial = i};
        uint32_t cut = length > 0 ? check_random(&random, length) : 0;
        struct iovec parts[] = {{bytes, cut}, {bytes + cut, length - cut}};
        if (i % CATCHES_UP == 0) await_reader(&writer);
        if (i % ANSWER_RECORDS == 0) coppice_ring_writer_rewind(&writer);
        size_t room = coppice_ring_writer_room(&writer); /* the reader may have made more since */
        for (; !coppice_ring_writer_append(&writer, record, parts, 2); room = coppice_ring_writer_room(&writer)) {
            CHECK(room < length || length == 0); /* an empty record takes the room of its head */
            publish(&writer);
            if (coppice_ring_writer_waits(&writer, length, false)) wait_for(writer_eventfd);
        }
        if (check_random(&random, 3) == 0) publish(&writer);
    }
    publish(&writer);
    return nothing;
}

static void check_inside(const struct coppice_record *record, const char *payload) {
    const char *data = (const char *)ring + COPPICE_LOBBY_PAGE;
    CHECK(payload >= data + sizeof(*record) && payload <= data + COPPICE_RING_BYTES);
    if (record->type == COPPICE_RECORD_SKIP) return;
    CHECK(record->length <= COPPICE_RING_RECORD_BYTES);
    CHECK(payload + record->length <= data + 2 * COPPICE_RING_BYTES);
}

static void read_all(void) {
    struct coppice_ring_reader reader = {.ring = ring};
    struct coppice_record record;
    const char *payload;
    uint64_t next = 0, skips = 0;
    for (uint64_t i = 0; i < records;) {
        enum coppice_ring_result result = coppice_ring_reader_peek(&reader, &record, &payload);
        CHECK(result != COPPICE_RING_SPOILT);
        if (result == COPPICE_RING_EMPTY) {
            atomic_store(&reader_waits, 1);
            if (coppice_ring_reader_peek(&reader, &record, &payload) == COPPICE_RING_EMPTY) wait_for(reader_eventfd);
            continue;
        }
        check_inside(&record, payload);
        if (record.type == COPPICE_RECORD_SKIP) {
            skips++;
        } else {
            CHECK(record.serial == i++);
            for (uint32_t at = 0; at < record.length; at++) CHECK((uint8_t)payload[at] == (uint8_t)(next++ % 251));
        }
        coppice_ring_reader_pass(&reader, &record);
        if (coppice_ring_reader_release(&reader)) coppice_wake(writer_eventfd);
    }
    CHECK(coppice_ring_reader_peek(&reader, &record, &payload) == COPPICE_RING_EMPTY);
    printf("records=%llu skips=%llu\n", (unsigned long long)records, (unsigned long long)skips);
}

static void stream(void) {
    pthread_t writer;
    CHECK(pthread_create(&writer, NULL, write_all, NULL) == 0);
    read_all();
    CHECK(pthread_join(writer, NULL) == 0);
}

/* A ring of good records, one of which is written over; what is read until it ends or is found to be spoilt. */
static enum coppice_ring_result read_spoilt(uint64_t *random) {
    struct coppice_ring_writer writer;
    struct coppice_ring_reader reader = {.ring = ring};
    struct coppice_record record = {.type = COPPICE_RECORD_DATA};
    struct iovec part = {.iov_base = (char *)ring, .iov_len = 100};
    const char *payload;
    enum coppice_ring_result result;
    coppice_answer_ring_init(ring);
    coppice_ring_writer_begin(&writer, ring);
    while (coppice_ring_writer_append(&writer, record, &part, 1)) {}
    coppice_ring_writer_publish(&writer);
    uint32_t *words = (uint32_t *)(void *)((char *)ring + COPPICE_LOBBY_PAGE);
    words[check_random(random, COPPICE_RING_BYTES / 4)] = check_random(random, UINT32_MAX);
    if (check_random(random, 3) == 0) atomic_fetch_add(&ring->written, check_random(random, UINT32_MAX));
    if (check_random(random, 3) == 0) atomic_store(&ring->read, check_random(random, UINT32_MAX));
    while ((result = coppice_ring_reader_peek(&reader, &record, &payload)) == COPPICE_RING_RECORD) {
        check_inside(&record, payload);
        coppice_ring_reader_pass(&reader, &record);
        coppice_ring_reader_release(&reader);
    }
    return result;
}

static void spoil(void) {
    uint64_t random = seed, found = 0;
    for (uint64_t i = 0; i < records; i++) found += read_spoilt(&random) == COPPICE_RING_SPOILT;
    printf("rounds=%llu spoilt=%llu\n", (unsigned long long)records, (unsigned long long)found);
}

int main(int count, char **arguments) {
    CHECK(count == 4);
    seed = strtoull(arguments[2], NULL, 10) * 2654435761u + 1;
    records = strtoull(arguments[3], NULL, 10);
    int fd;
    ring = make_ring(&fd);
    writer_eventfd = eventfd(0, EFD_NONBLOCK);
    reader_eventfd = eventfd(0, EFD_NONBLOCK);
    if (strcmp(arguments[1], "stream") == 0) {
        stream();
    } else {
        spoil();
    }
    return 0;
}
