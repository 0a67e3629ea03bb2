#ifndef COPPICE_ANSWER_RING_H
#define COPPICE_ANSWER_RING_H

/*
 * A ring of bytes with one writer, the worker on a seat, and one reader, the lobby: in pure C and in shared memory. The
 * data lie in memory twice, one copy right behind the other, so that every record is in one piece. The reader trusts
 * nothing that the writer could have written: it reads each value once, and checks it.
 *
 * The answer to a request is HEAD, then DATA and FILE, then END. HINTS may come before HEAD, END alone is no answer. All
 * carry the serial of the request; the lobby drops what belongs to a request that it has answered itself.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum {
    COPPICE_RING_BYTES = 256 * 1024,
    COPPICE_RING_RECORD_BYTES = 64 * 1024 /* the longest payload */
};

enum coppice_record_type {
    COPPICE_RECORD_HEAD = 1,  /* what follows is the answer, its head's bytes first; status, KEEP */
    COPPICE_RECORD_DATA = 2,  /* bytes for the client */
    COPPICE_RECORD_FILE = 3,  /* a struct coppice_record_file: send from the file that came on the seat's socket */
    COPPICE_RECORD_HINTS = 4, /* bytes of an interim answer */
    COPPICE_RECORD_END = 5,   /* the request is done: WHOLE or not; RESET. An int64_t: when its worker began, in monotonic µs */
    COPPICE_RECORD_SKIP = 6   /* nothing: the writer goes back to the start of the ring, which is warm in the cache */
};

enum coppice_record_flags {
    COPPICE_RECORD_KEEP = 1,  /* of HEAD: the head does not say "connection: close" */
    COPPICE_RECORD_WHOLE = 2, /* of END: nothing is missing. Without: close the connection */
    COPPICE_RECORD_RESET = 4  /* of END: by a reset, since only the connection's end would end the body */
};

struct coppice_record {
    uint32_t length; /* of the payload behind it; the next record begins at the next multiple of 16 */
    uint8_t type;
    uint8_t flags;
    uint16_t status; /* of HEAD */
    uint64_t serial;
};

struct coppice_record_file {
    uint64_t offset;
    uint64_t length;
};

/* The first page of the shared memory; the data follow. Positions count bytes and only grow. */
struct coppice_answer_ring {
    uint64_t magic;
    uint32_t version;
    uint32_t bytes;
    _Alignas(64) _Atomic uint64_t written;
    _Alignas(64) _Atomic uint64_t read;
    _Atomic uint32_t writer_waits; /* 1: the worker waits on its eventfd for room, or until the ring is not stalled */
    _Atomic uint32_t stalled;      /* 1: the reader leaves records unread, since their client does not read */
};

/* The bytes of the file: a page and the data. */
size_t coppice_answer_ring_file_bytes(void);

/* Maps the file, its data twice; NULL and errno. Not copied into a process that is forked, with `private_to_process`. */
struct coppice_answer_ring *coppice_answer_ring_map(int fd, bool private_to_process);
void coppice_answer_ring_unmap(struct coppice_answer_ring *ring);
void coppice_answer_ring_init(struct coppice_answer_ring *ring);

/* The writer's side. What is written is seen by the reader after publish. */
struct coppice_ring_writer {
    struct coppice_answer_ring *ring;
    uint64_t position;
};

void coppice_ring_writer_begin(struct coppice_ring_writer *writer, struct coppice_answer_ring *ring);
/* Payload bytes that there is room for now, in one record. */
size_t coppice_ring_writer_room(const struct coppice_ring_writer *writer);
/* Appends a record; false when there is no room for it. record->length is set from the parts. */
bool coppice_ring_writer_append(struct coppice_ring_writer *writer, struct coppice_record record,
                                const struct iovec *parts, int count);
/* Before an answer: back to the start of the ring, if the reader has read everything. */
void coppice_ring_writer_rewind(struct coppice_ring_writer *writer);
void coppice_ring_writer_publish(struct coppice_ring_writer *writer);
/* Whether what is written now would wait behind an answer that its client does not read. */
bool coppice_ring_writer_stalled(const struct coppice_ring_writer *writer);
/* Whether there is still no room for so many payload bytes, or the ring is stalled where `stalled` matters: then the
 * reader writes to the eventfd once it has read. */
bool coppice_ring_writer_waits(struct coppice_ring_writer *writer, size_t length, bool stalled);

/* The reader's side. `position` is the reader's own: the writer cannot move it. */
struct coppice_ring_reader {
    struct coppice_answer_ring *ring;
    uint64_t position;
};

enum coppice_ring_result { COPPICE_RING_RECORD, COPPICE_RING_EMPTY, COPPICE_RING_SPOILT };

/* The record at the reader's position, copied and checked, and its payload, which the writer might still change. */
enum coppice_ring_result coppice_ring_reader_peek(const struct coppice_ring_reader *reader,
                                                  struct coppice_record *record, const char **payload);
/* Goes past that record. Its bytes stay until release. */
void coppice_ring_reader_pass(struct coppice_ring_reader *reader, const struct coppice_record *record);
/* Before release, which wakes the writer. */
void coppice_ring_reader_stall(struct coppice_ring_reader *reader, bool stalled);
/* Gives the writer the room of all that was passed. Answers whether it waits for room: then its eventfd is to be
 * written. */
bool coppice_ring_reader_release(struct coppice_ring_reader *reader);

#endif
