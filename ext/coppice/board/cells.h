#ifndef COPPICE_CELLS_H
#define COPPICE_CELLS_H

#include <ruby.h>
#include <stdatomic.h>
#include <stdint.h>

/* The address of `count` cells of a Coppice::Cells from `index` on; valid until Ruby code runs, which may unmap them.
 * Raises IndexError when there are not as many, IOError when they are not mapped, or read-only. */
_Atomic int64_t *coppice_cells_at(VALUE cells, size_t index, size_t count);

/* The same to read only. */
const _Atomic int64_t *coppice_cells_to_read(VALUE cells, size_t index, size_t count);

/* A column of a Coppice::Board::Record: where it begins in its cells, and how many it has. Raises TypeError when these are
 * fewer than that. */
struct coppice_column {
    size_t index, count;
};
struct coppice_column coppice_cells_column(VALUE record, const char *name, size_t least);

/* A text in cells that is being written: it is cut to what fits, and filled up with NUL bytes at its end. Not atomic
 * as a whole: a reader may see half of the old text and half of the new one. */
struct coppice_cells_text {
    char *bytes;
    size_t room;
};

void coppice_cells_text_append(struct coppice_cells_text *text, const char *bytes, size_t length);
void coppice_cells_text_end(struct coppice_cells_text *text);

#endif
