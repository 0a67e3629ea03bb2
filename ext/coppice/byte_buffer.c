#include "byte_buffer.h"

#include <ruby.h>
#include <string.h>

void coppice_byte_buffer_reserve(struct coppice_byte_buffer *buffer, size_t more) {
    size_t needed = buffer->length + more;
    if (needed <= buffer->capacity) return;

    size_t capacity = buffer->capacity ? buffer->capacity : 4096;
    while (capacity < needed) capacity *= 2;
    buffer->data = ruby_xrealloc(buffer->data, capacity);
    buffer->capacity = capacity;
}

void coppice_byte_buffer_append(struct coppice_byte_buffer *buffer, const char *bytes, size_t length) {
    if (length == 0) return; /* an empty buffer has no memory to copy to */
    coppice_byte_buffer_reserve(buffer, length);
    memcpy(buffer->data + buffer->length, bytes, length);
    buffer->length += length;
}

void coppice_byte_buffer_free(struct coppice_byte_buffer *buffer) {
    ruby_xfree(buffer->data);
    *buffer = (struct coppice_byte_buffer){0};
}
