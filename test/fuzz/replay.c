/*
 * Stands in for libFuzzer where there is only gcc: gives a target the inputs in a list of files, then mutations of them,
 * the same ones in each run.
 *
 *     replay RUNS FILE...
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 8192, MOST_CHANGES = 4 };

struct input {
    uint8_t *bytes;
    size_t size;
};

static uint64_t state = 0x9e3779b97f4a7c15;

/* xorshift64: below `limit`, which is not 0. */
static size_t random_below(size_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state % limit);
}

static struct input read_input(const char *path) {
    struct input input = {malloc(LONGEST), 0};
    FILE *file = fopen(path, "rb");

    if (!file || !input.bytes) {
        perror(path);
        exit(2);
    }
    input.size = fread(input.bytes, 1, LONGEST, file);
    fclose(file);
    return input;
}

/* A copy of just this size, so that a sanitizer sees each byte that is read behind the end. */
static void try_input(const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);

    if (size) memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* One change: another byte, a bit, a piece left out, or a piece of another input put in its place. */
static size_t change(uint8_t *bytes, size_t size, const struct input *other) {
    if (size == 0) return 0;
    size_t at = random_below(size), length = 1 + random_below(size - at);

    switch (random_below(4)) {
    case 0: bytes[at] = (uint8_t)random_below(256); break;
    case 1: bytes[at] ^= (uint8_t)(1u << random_below(8)); break;
    case 2:
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length;
    default:
        if (other->size < length) length = other->size;
        memcpy(bytes + at, other->bytes + random_below(other->size - length + 1), length);
    }
    return size;
}

static void mutate(const struct input *inputs, size_t count) {
    uint8_t bytes[LONGEST];
    const struct input *input = &inputs[random_below(count)];
    size_t size = input->size;

    memcpy(bytes, input->bytes, size);
    for (size_t changes = 1 + random_below(MOST_CHANGES); changes > 0; changes--)
        size = change(bytes, size, &inputs[random_below(count)]);
    try_input(bytes, size);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    size_t count = (size_t)argc - 2;
    struct input *inputs = calloc(count, sizeof(*inputs));

    for (size_t i = 0; i < count; i++) {
        inputs[i] = read_input(argv[i + 2]);
        try_input(inputs[i].bytes, inputs[i].size);
    }
    for (long runs = atol(argv[1]); runs > 0; runs--) mutate(inputs, count);
    printf("%s mutations of %zu inputs\n", argv[1], count);
    for (size_t i = 0; i < count; i++) free(inputs[i].bytes);
    free(inputs);
    return 0;
}
