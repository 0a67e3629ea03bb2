#include "byte_buffer.h"

#include <string.h>

enum { FIRST_BYTES = 4096 };

void coppice_byte_buffer_init(struct coppice_byte_buffer *buffer, coppice_reallocate *reallocate) {
    *buffer = (struct coppice_byte_buffer){.reallocate = reallocate};
}

void coppice_byte_buffer_reserve(struct coppice_byte_buffer *buffer, size_t more) {
    size_t needed = buffer->length + more;
    if (needed <= buffer->capacity) return;

    size_t capacity = buffer->capacity ? buffer->capacity : FIRST_BYTES;
    while (capacity < needed) capacity *= 2;
    buffer->data = buffer->reallocate(buffer->data, capacity);
    buffer->capacity = capacity;
}

void coppice_byte_buffer_append(struct coppice_byte_buffer *buffer, const char *bytes, size_t length) {
    if (length == 0) return; /* an empty buffer has no memory to copy to */
    coppice_byte_buffer_reserve(buffer, length);
    memcpy(buffer->data + buffer->length, bytes, length);
    buffer->length += length;
}

void coppice_byte_buffer_free(struct coppice_byte_buffer *buffer) {
    buffer->reallocate(buffer->data, 0);
    coppice_byte_buffer_init(buffer, buffer->reallocate);
}
