#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>

#include "arrivals.h"

static double rate;
static uint64_t due_ns;

/* As if many people came independently of each other, in the same way in every run with this seed. */
void arrivals_next(void) {
    if (rate > 0) due_ns += (uint64_t)(-log(1 - drand48()) / rate * 1e9);
}

void arrivals_prepare(const struct options *options, uint64_t began_ns) {
    rate = options->rate;
    if (rate <= 0) return;
    srand48((long)options->seed);
    due_ns = began_ns;
    arrivals_next();
}

uint64_t arrivals_due(void) {
    return due_ns;
}
