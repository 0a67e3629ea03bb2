#ifndef COPPICE_HISTOGRAM_H
#define COPPICE_HISTOGRAM_H

/*
 * A histogram of durations in microseconds, in cells that processes share. Its buckets are fixed: one below 16 us, then
 * four in each octave up to 67 s, then one for all above. So a percentile is off by at most a quarter of its value. The
 * first cell is the sum of all values, the buckets follow.
 */

#include <ruby.h>
#include <stddef.h>
#include <stdint.h>

enum {
    COPPICE_HISTOGRAM_FIRST_OCTAVE = 4, /* the first bucket ends at 2^4 us */
    COPPICE_HISTOGRAM_LAST_OCTAVE = 26, /* the last one begins at 2^26 us */
    COPPICE_HISTOGRAM_STEPS = 4,        /* buckets in an octave */
    COPPICE_HISTOGRAM_BUCKETS =
        (COPPICE_HISTOGRAM_LAST_OCTAVE - COPPICE_HISTOGRAM_FIRST_OCTAVE) * COPPICE_HISTOGRAM_STEPS + 2,
    COPPICE_HISTOGRAM_CELLS = COPPICE_HISTOGRAM_BUCKETS + 1
};

/* Counts a duration in the histogram that begins at `index` of a Coppice::Cells: two atomic additions. A negative one
 * counts as 0 us. A process that is killed between them leaves a sum that lacks one value. */
void coppice_histogram_add(VALUE cells, size_t index, int64_t us);

#endif
