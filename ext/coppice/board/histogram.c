/* Coppice::Histogram: see histogram.h. */
#include "histogram.h"

#include "cells.h"
#include "coppice_ext.h"

static size_t bucket_of(int64_t us) {
    if (us < INT64_C(1) << COPPICE_HISTOGRAM_FIRST_OCTAVE) return 0;
    if (us >= INT64_C(1) << COPPICE_HISTOGRAM_LAST_OCTAVE) return COPPICE_HISTOGRAM_BUCKETS - 1;
    int octave = 63 - __builtin_clzll((unsigned long long)us);
    int step = (int)(us >> (octave - 2)) & (COPPICE_HISTOGRAM_STEPS - 1); /* the two bits below the highest */
    return (size_t)((octave - COPPICE_HISTOGRAM_FIRST_OCTAVE) * COPPICE_HISTOGRAM_STEPS + step) + 1;
}

void coppice_histogram_add(VALUE cells, size_t index, int64_t us) {
    _Atomic int64_t *sum = coppice_cells_at(cells, index, COPPICE_HISTOGRAM_CELLS);
    atomic_fetch_add_explicit(&sum[1 + bucket_of(us)], 1, memory_order_relaxed);
    if (us > 0) atomic_fetch_add_explicit(sum, us, memory_order_relaxed);
}

/* bucket(us) -> Integer: the bucket that a duration belongs to, from 0. */
static VALUE histogram_bucket(VALUE self, VALUE us) {
    return SIZET2NUM(bucket_of(NUM2LL(us)));
}

/* add(cells, index, us): counts a duration in the histogram that begins there. */
static VALUE histogram_add(VALUE self, VALUE cells, VALUE index, VALUE us) {
    coppice_histogram_add(cells, NUM2SIZET(index), NUM2LL(us));
    return Qnil;
}

/* The upper bounds in microseconds of all buckets but the last, which has none. */
static VALUE bounds(void) {
    VALUE array = rb_ary_new();
    for (int bucket = 0; bucket < COPPICE_HISTOGRAM_BUCKETS - 1; bucket++) {
        int octave = COPPICE_HISTOGRAM_FIRST_OCTAVE + bucket / COPPICE_HISTOGRAM_STEPS;
        int64_t steps = COPPICE_HISTOGRAM_STEPS + bucket % COPPICE_HISTOGRAM_STEPS;
        rb_ary_push(array, LL2NUM(steps << (octave - 2)));
    }
    return rb_obj_freeze(array);
}

void Init_coppice_histogram(VALUE coppice) {
    VALUE histogram = rb_define_module_under(coppice, "Histogram");
    rb_define_const(histogram, "CELLS", INT2FIX(COPPICE_HISTOGRAM_CELLS));
    rb_define_const(histogram, "BOUNDS", bounds());
    rb_define_module_function(histogram, "bucket", histogram_bucket, 1);
    rb_define_module_function(histogram, "add", histogram_add, 3);
}
