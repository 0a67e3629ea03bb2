#ifndef COPPICE_BYTE_BUFFER_H
#define COPPICE_BYTE_BUFFER_H

/* A growing run of bytes in Ruby-accounted memory. Zeroed memory is an empty buffer. */

#include <stddef.h>

struct coppice_byte_buffer {
    char *data;
    size_t length;
    size_t capacity;
};

/* Makes room for `more` bytes behind the present ones; they may move. */
void coppice_byte_buffer_reserve(struct coppice_byte_buffer *buffer, size_t more);
void coppice_byte_buffer_append(struct coppice_byte_buffer *buffer, const char *bytes, size_t length);
void coppice_byte_buffer_free(struct coppice_byte_buffer *buffer);

#endif
