/* Coppice::Histogram: what Ruby code has to know of histogram_buckets.h. */
#include "cells.h"
#include "coppice_ext.h"
#include "shared/histogram_buckets.h"

/* bucket(us) -> Integer: the bucket that a duration belongs to. */
static VALUE histogram_bucket(VALUE self, VALUE us) {
    return SIZET2NUM(coppice_histogram_bucket(NUM2LL(us)));
}

/* add(cells, index, us): counts a duration in the histogram that begins there. */
static VALUE histogram_add(VALUE self, VALUE cells, VALUE index, VALUE us) {
    coppice_histogram_add(coppice_cells_at(cells, NUM2SIZET(index), COPPICE_HISTOGRAM_CELLS), NUM2LL(us));
    return Qnil;
}

/* The upper bounds in microseconds of all buckets but the last, which has none. */
static VALUE bounds(void) {
    VALUE array = rb_ary_new();
    for (size_t i = 0; i + 1 < COPPICE_HISTOGRAM_BUCKETS; i++) rb_ary_push(array, LL2NUM(coppice_histogram_bound(i)));
    return rb_obj_freeze(array);
}

void Init_coppice_histogram(VALUE coppice) {
    VALUE histogram = rb_define_module_under(coppice, "Histogram");
    rb_define_const(histogram, "CELLS", INT2FIX(COPPICE_HISTOGRAM_CELLS));
    rb_define_const(histogram, "BOUNDS", bounds());
    rb_define_module_function(histogram, "bucket", histogram_bucket, 1);
    rb_define_module_function(histogram, "add", histogram_add, 3);
}
