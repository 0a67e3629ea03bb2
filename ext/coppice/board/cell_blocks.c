/*
 * Coppice::Cells, several cells in one call: reading and writing arrays, sums over records, times that have come, and
 * the fold that adds the counts of an exited process to those of its slot.
 */
#include "cells.h"
#include "coppice_ext.h"

static int64_t load(const _Atomic int64_t *cell) {
    return atomic_load_explicit(cell, memory_order_relaxed);
}

static void store(_Atomic int64_t *cell, int64_t value) {
    atomic_store_explicit(cell, value, memory_order_relaxed);
}

struct coppice_column coppice_cells_column(VALUE record, const char *name, size_t least) {
    VALUE place = rb_funcall(record, rb_intern("place_of"), 1, ID2SYM(rb_intern(name)));
    Check_Type(place, T_ARRAY);
    struct coppice_column column = {NUM2SIZET(rb_ary_entry(place, 0)), NUM2SIZET(rb_ary_entry(place, 1))};
    if (column.count < least) rb_raise(rb_eTypeError, "column %s is too small", name);
    return column;
}

/* read(index, count) -> Array of Integers. Each cell is read at once, the array is not: see Board#consistent. */
static VALUE cells_read(VALUE self, VALUE rb_index, VALUE rb_count) {
    size_t count = NUM2SIZET(rb_count);
    const _Atomic int64_t *cells = coppice_cells_to_read(self, NUM2SIZET(rb_index), count);
    VALUE values = rb_ary_new_capa((long)count);
    for (size_t i = 0; i < count; i++) rb_ary_push(values, LL2NUM(load(&cells[i])));
    atomic_thread_fence(memory_order_acquire);
    return values;
}

/* write(index, Array of Integers) */
static VALUE cells_write(VALUE self, VALUE rb_index, VALUE values) {
    Check_Type(values, T_ARRAY);
    size_t count = (size_t)RARRAY_LEN(values);
    for (size_t i = 0; i < count; i++) NUM2LL(rb_ary_entry(values, (long)i)); /* raises before anything is written */
    _Atomic int64_t *cells = coppice_cells_at(self, NUM2SIZET(rb_index), count);
    atomic_thread_fence(memory_order_release);
    for (size_t i = 0; i < count; i++) store(&cells[i], NUM2LL(RARRAY_AREF(values, (long)i)));
    return values;
}

/* add(index, number) -> Integer: the sum. Several threads may count in one cell. */
static VALUE cells_add(VALUE self, VALUE rb_index, VALUE rb_number) {
    int64_t number = NUM2LL(rb_number);
    _Atomic int64_t *cell = coppice_cells_at(self, NUM2SIZET(rb_index), 1);
    return LL2NUM(atomic_fetch_add_explicit(cell, number, memory_order_relaxed) + number);
}

static void clear(_Atomic int64_t *cells, size_t count) {
    for (size_t i = 0; i < count; i++) store(&cells[i], 0);
}

/* clear(index, count) */
static VALUE cells_clear(VALUE self, VALUE rb_index, VALUE rb_count) {
    size_t count = NUM2SIZET(rb_count);
    clear(coppice_cells_at(self, NUM2SIZET(rb_index), count), count);
    return Qnil;
}

/* sum(indexes, count) -> Array of Integers: of the blocks of so many cells that begin at these indexes. */
static VALUE cells_sum(VALUE self, VALUE indexes, VALUE rb_count) {
    Check_Type(indexes, T_ARRAY);
    size_t count = NUM2SIZET(rb_count);
    VALUE memory;
    int64_t *sums = ALLOCV_N(int64_t, memory, count);
    for (size_t i = 0; i < count; i++) sums[i] = 0;
    for (long block = 0; block < RARRAY_LEN(indexes); block++) {
        const _Atomic int64_t *cells = coppice_cells_to_read(self, NUM2SIZET(RARRAY_AREF(indexes, block)), count);
        for (size_t i = 0; i < count; i++) sums[i] += load(&cells[i]);
    }
    atomic_thread_fence(memory_order_acquire);
    VALUE values = rb_ary_new_capa((long)count);
    for (size_t i = 0; i < count; i++) rb_ary_push(values, LL2NUM(sums[i]));
    ALLOCV_END(memory);
    return values;
}

/*
 * due(index, stride, count, time) -> [Array of Integers, Integer]: looks at `count` cells, each `stride` cells behind the
 * one before. Returns which of them, counted from 0, hold a time up to `time`, and the first time after it. 0 is no time,
 * neither in a cell nor as what is returned.
 */
static VALUE cells_due(VALUE self, VALUE rb_index, VALUE rb_stride, VALUE rb_count, VALUE rb_time) {
    size_t stride = NUM2SIZET(rb_stride);
    size_t count = NUM2SIZET(rb_count);
    int64_t time = NUM2LL(rb_time);
    int64_t first_after = 0;
    VALUE numbers = rb_ary_new();
    if (count == 0) return rb_assoc_new(numbers, INT2FIX(0));

    if (stride == 0 || count - 1 > (SIZE_MAX - 1) / stride) rb_raise(rb_eIndexError, "%zu cells apart", stride);
    const _Atomic int64_t *cells = coppice_cells_to_read(self, NUM2SIZET(rb_index), ((count - 1) * stride) + 1);
    for (size_t i = 0; i < count; i++) {
        int64_t value = load(&cells[i * stride]);
        if (value == 0) continue;
        if (value <= time) rb_ary_push(numbers, SIZET2NUM(i));
        else if (first_after == 0 || value < first_after) first_after = value;
    }
    return rb_assoc_new(numbers, LL2NUM(first_after));
}

/*
 * fold(from, to, count, row, row_count, sequence): adds the block at `from` to that at `to` and clears the row that it
 * is a part of. Meanwhile the cell at `sequence` is odd, so that a reader knows that it may have seen the counts twice,
 * or not at all. There is one writer.
 */
static VALUE cells_fold(int argc, VALUE *argv, VALUE self) {
    rb_check_arity(argc, 6, 6);
    size_t count = NUM2SIZET(argv[2]);
    size_t row_count = NUM2SIZET(argv[4]);
    const _Atomic int64_t *from = coppice_cells_at(self, NUM2SIZET(argv[0]), count);
    _Atomic int64_t *to = coppice_cells_at(self, NUM2SIZET(argv[1]), count);
    _Atomic int64_t *row = coppice_cells_at(self, NUM2SIZET(argv[3]), row_count);
    _Atomic int64_t *sequence = coppice_cells_at(self, NUM2SIZET(argv[5]), 1);

    int64_t before = load(sequence);
    store(sequence, before + 1);
    atomic_thread_fence(memory_order_seq_cst);
    for (size_t i = 0; i < count; i++) store(&to[i], load(&to[i]) + load(&from[i]));
    clear(row, row_count);
    atomic_store_explicit(sequence, before + 2, memory_order_release);
    return Qnil;
}

void Init_coppice_cell_blocks(VALUE coppice) {
    VALUE klass = rb_const_get(coppice, rb_intern("Cells"));
    rb_define_method(klass, "read", cells_read, 2);
    rb_define_method(klass, "write", cells_write, 2);
    rb_define_method(klass, "add", cells_add, 2);
    rb_define_method(klass, "clear", cells_clear, 2);
    rb_define_method(klass, "sum", cells_sum, 2);
    rb_define_method(klass, "due", cells_due, 4);
    rb_define_method(klass, "fold", cells_fold, -1);
}
