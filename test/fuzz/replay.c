/*
 * Stands in for libFuzzer where there is only gcc: gives a target the inputs in some folders, by their names, then
 * mutations of them, the same ones in each run.
 *
 *     replay RUNS FOLDER...
 */

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 8192, MOST_CHANGES = 4, MOST_INPUTS = 10000, MOST_SECONDS = 120 };

struct input {
    uint8_t *bytes;
    size_t size;
};

static struct input inputs[MOST_INPUTS];
static size_t count;
static uint64_t state = 0x9e3779b97f4a7c15;

static size_t random_below(size_t limit) {
    return check_random(&state, (uint32_t)limit);
}

static void fail(const char *what) {
    perror(what);
    exit(2);
}

static void read_input(const char *folder, const char *name) {
    char path[4096];
    struct input *input = &inputs[count++];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = count < MOST_INPUTS ? fopen(path, "rb") : NULL;
    input->bytes = malloc(LONGEST);
    if (!file || !input->bytes) fail(path);
    input->size = fread(input->bytes, 1, LONGEST, file);
    fclose(file);
}

static void read_folder(const char *folder) {
    struct dirent **names;
    int found = scandir(folder, &names, NULL, alphasort);

    if (found < 0) fail(folder);
    for (int i = 0; i < found; i++) {
        if (names[i]->d_name[0] != '.') read_input(folder, names[i]->d_name);
        free(names[i]);
    }
    free(names);
}

/* A copy of just this size, so that a sanitizer sees each byte that is read behind the end. One that never comes back is
 * ended by a signal. */
static void try_input(const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);

    alarm(MOST_SECONDS);
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

static void mutate(void) {
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
    for (int i = 2; i < argc; i++) read_folder(argv[i]);
    for (size_t i = 0; i < count; i++) try_input(inputs[i].bytes, inputs[i].size);
    for (long runs = count ? atol(argv[1]) : 0; runs > 0; runs--) mutate();
    printf("%s mutations of %zu inputs\n", argv[1], count);
    for (size_t i = 0; i < count; i++) free(inputs[i].bytes);
    return 0;
}
