#include "chunks.h"

enum { MAX_DIGITS = 8 };

static int hexadecimal(char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
    return -1;
}

static enum chunks_state size_byte(struct chunks *chunks, char byte) {
    int digit = hexadecimal(byte);
    if (digit < 0) return chunks->digits > 0 && (byte == '\r' || byte == ';') ? CHUNKS_SIZE_END : CHUNKS_MALFORMED;
    if (++chunks->digits > MAX_DIGITS) return CHUNKS_MALFORMED;
    chunks->remaining = chunks->remaining * 16 + (uint64_t)digit;
    return CHUNKS_SIZE;
}

static enum chunks_state size_end_byte(struct chunks *chunks, char byte) {
    if (byte != '\n') return CHUNKS_SIZE_END;
    chunks->line_bytes = 0;
    return chunks->remaining > 0 ? CHUNKS_DATA : CHUNKS_TRAILERS;
}

static enum chunks_state data_end_byte(struct chunks *chunks, char byte) {
    if (byte != "\r\n"[chunks->line_bytes++]) return CHUNKS_MALFORMED;
    if (byte == '\r') return CHUNKS_DATA_END;
    *chunks = (struct chunks){ .state = CHUNKS_SIZE };
    return CHUNKS_SIZE;
}

static enum chunks_state trailer_byte(struct chunks *chunks, char byte) {
    if (byte == '\n' && chunks->line_bytes == 0) return CHUNKS_DONE;
    if (byte == '\n') chunks->line_bytes = 0;
    else if (byte != '\r') chunks->line_bytes++;
    return CHUNKS_TRAILERS;
}

static enum chunks_state next_state(struct chunks *chunks, char byte) {
    switch (chunks->state) {
    case CHUNKS_SIZE: return size_byte(chunks, byte);
    case CHUNKS_SIZE_END: return size_end_byte(chunks, byte);
    case CHUNKS_DATA_END: return data_end_byte(chunks, byte);
    case CHUNKS_TRAILERS: return trailer_byte(chunks, byte);
    default: return chunks->state;
    }
}

static size_t data_bytes(struct chunks *chunks, size_t length) {
    size_t taken = length < chunks->remaining ? length : (size_t)chunks->remaining;
    chunks->remaining -= taken;
    if (chunks->remaining == 0) chunks->state = CHUNKS_DATA_END;
    return taken;
}

static bool reads_on(const struct chunks *chunks) {
    return chunks->state != CHUNKS_DATA && chunks->state != CHUNKS_DONE && chunks->state != CHUNKS_MALFORMED;
}

size_t chunks_read(struct chunks *chunks, const char *bytes, size_t length, bool *data) {
    size_t taken = 0;

    *data = chunks->state == CHUNKS_DATA;
    if (*data) return data_bytes(chunks, length);
    while (taken < length && reads_on(chunks)) chunks->state = next_state(chunks, bytes[taken++]);
    return taken;
}
