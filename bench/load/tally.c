#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "answer.h"
#include "clock.h"
#include "tally.h"

enum { MAX_BODIES = 64 };

struct body {
    char text[ANSWER_TEXT_BYTES];
    uint64_t count;
};

static const char *const error_names[ERROR_KINDS] = { "connect", "reset", "status", "length", "timeout" };

static bool note_bodies, print_each;
static struct body bodies[MAX_BODIES];
static int body_kinds;
static uint32_t *latencies_us;
static uint64_t answered, connections_kept, errors[ERROR_KINDS];

void tally_prepare(const struct options *options) {
    note_bodies = options->bodies;
    print_each = options->each;
    latencies_us = calloc(options->requests ? options->requests : 1, sizeof *latencies_us);
    if (latencies_us == NULL) {
        perror("load");
        exit(2);
    }
}

void tally_error(enum error kind) {
    errors[kind]++;
}

/* Prints a body when it is seen for the first time. */
static void note_body(const char *text) {
    char key[ANSWER_TEXT_BYTES];
    strcpy(key, text);
    key[strcspn(key, "\r\n\"\\")] = '\0';

    for (int i = 0; i < body_kinds; i++)
        if (strcmp(bodies[i].text, key) == 0) { bodies[i].count++; return; }
    if (body_kinds == MAX_BODIES) return;

    strcpy(bodies[body_kinds].text, key);
    bodies[body_kinds++].count = 1;
    printf("body %.6f %s\n", (double)clock_ns() / 1e9, key);
    fflush(stdout);
}

void tally_answer(uint64_t nanoseconds, const char *text, bool kept) {
    if (note_bodies) note_body(text);
    connections_kept += kept;
    latencies_us[answered++] = (uint32_t)(nanoseconds / 1000);
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t percentile(double share) {
    return answered ? latencies_us[(uint64_t)((double)(answered - 1) * share)] : 0;
}

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void print_latencies(void) {
    printf(",\"latencies_us\":[");
    for (uint64_t i = 0; i < answered; i++) printf("%s%u", i ? "," : "", latencies_us[i]);
    printf("]");
}

void tally_report(double seconds) {
    struct rusage own;
    getrusage(RUSAGE_SELF, &own);
    qsort(latencies_us, answered, sizeof *latencies_us, ascending);

    printf("{\"answered\":%llu,\"connections_kept\":%llu,\"seconds\":%.6f", (unsigned long long)answered,
           (unsigned long long)connections_kept, seconds);
    printf(",\"client_cpu_seconds\":%.6f", seconds_of(own.ru_utime) + seconds_of(own.ru_stime));
    printf(",\"p50_us\":%u,\"p95_us\":%u,\"p99_us\":%u,\"max_us\":%u,\"errors\":{",
           percentile(0.50), percentile(0.95), percentile(0.99), percentile(1));
    for (int i = 0; i < ERROR_KINDS; i++)
        printf("%s\"%s\":%llu", i ? "," : "", error_names[i], (unsigned long long)errors[i]);
    printf("},\"bodies\":{");
    for (int i = 0; i < body_kinds; i++)
        printf("%s\"%s\":%llu", i ? "," : "", bodies[i].text, (unsigned long long)bodies[i].count);
    printf("}");
    if (print_each) print_latencies();
    printf("}\n");
}
