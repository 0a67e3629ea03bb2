#include "histogram_buckets.h"

size_t coppice_histogram_bucket(int64_t us) {
    if (us < INT64_C(1) << COPPICE_HISTOGRAM_FIRST_OCTAVE) return 0;
    if (us >= INT64_C(1) << COPPICE_HISTOGRAM_LAST_OCTAVE) return COPPICE_HISTOGRAM_BUCKETS - 1;
    int octave = 63 - __builtin_clzll((unsigned long long)us);
    int step = (int)(us >> (octave - 2)) & (COPPICE_HISTOGRAM_STEPS - 1); /* the two bits below the highest */
    return (size_t)((octave - COPPICE_HISTOGRAM_FIRST_OCTAVE) * COPPICE_HISTOGRAM_STEPS + step) + 1;
}

int64_t coppice_histogram_bound(size_t bucket) {
    if (bucket >= COPPICE_HISTOGRAM_BUCKETS - 1) return INT64_MAX;
    int octave = COPPICE_HISTOGRAM_FIRST_OCTAVE + (int)(bucket / COPPICE_HISTOGRAM_STEPS);
    int64_t step = (int64_t)(bucket % COPPICE_HISTOGRAM_STEPS);
    return (COPPICE_HISTOGRAM_STEPS + step) << (octave - 2);
}

void coppice_histogram_add(_Atomic int64_t *cells, int64_t us) {
    atomic_fetch_add_explicit(&cells[1 + coppice_histogram_bucket(us)], 1, memory_order_relaxed);
    if (us > 0) atomic_fetch_add_explicit(&cells[0], us, memory_order_relaxed);
}
