/* libFuzzer: any bytes as an answer ring that a broken worker has written, as the lobby reads it. Two bytes in front
 * choose where the reader stands and how much is said to be written. */

#include <string.h>

#include "rings.h"
#include "shared/lobby_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads each byte that the reader would send. */
static void look_at(const struct coppice_answer_ring *ring, const struct coppice_record *record, const char *payload) {
    static unsigned sum;
    const char *begin = (const char *)ring + COPPICE_LOBBY_PAGE;
    if (payload < begin || payload > begin + COPPICE_RING_BYTES) abort();
    if (record->type == COPPICE_RECORD_SKIP) return;
    if (payload + record->length > begin + 2 * COPPICE_RING_BYTES) abort();
    for (uint32_t i = 0; i < record->length; i++) sum += (unsigned char)payload[i];
    if (sum == UINT32_MAX) sum = 0; /* used, so that the bytes are read */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct coppice_answer_ring *ring;
    struct coppice_record record;
    const char *payload;
    int fd;

    if (size < 2) return 0;
    if (!ring) ring = make_ring(&fd);
    coppice_answer_ring_init(ring);
    /* Near the end of the ring for a half of them. */
    struct coppice_ring_reader reader = {.ring = ring};
    reader.position = data[0] & 1 ? COPPICE_RING_BYTES - 16 * (uint64_t)(data[0] / 2) : 16 * (uint64_t)data[0];
    atomic_store(&ring->written, reader.position + size - 2 + 1024 * (uint64_t)data[1]);
    memcpy((char *)ring + COPPICE_LOBBY_PAGE + reader.position % COPPICE_RING_BYTES, data + 2, size - 2);
    while (coppice_ring_reader_peek(&reader, &record, &payload) == COPPICE_RING_RECORD) {
        look_at(ring, &record, payload);
        coppice_ring_reader_pass(&reader, &record);
        coppice_ring_reader_release(&reader);
    }
    return 0;
}
