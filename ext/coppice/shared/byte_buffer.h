#ifndef COPPICE_BYTE_BUFFER_H
#define COPPICE_BYTE_BUFFER_H

/* A growing run of bytes, in pure C. Its owner says where the memory comes from. */

#include <stddef.h>

/* As realloc(3), but it never answers NULL for a size: it raises, or ends the process. Size 0 frees the memory. */
typedef void *coppice_reallocate(void *memory, size_t size);

struct coppice_byte_buffer {
    coppice_reallocate *reallocate;
    char *data;
    size_t length;
    size_t capacity;
};

/* An empty buffer, which has no memory yet. */
void coppice_byte_buffer_init(struct coppice_byte_buffer *buffer, coppice_reallocate *reallocate);

/* Makes room for `more` bytes behind the present ones; they may move. */
void coppice_byte_buffer_reserve(struct coppice_byte_buffer *buffer, size_t more);
void coppice_byte_buffer_append(struct coppice_byte_buffer *buffer, const char *bytes, size_t length);

/* Leaves an empty buffer. */
void coppice_byte_buffer_free(struct coppice_byte_buffer *buffer);

#endif
