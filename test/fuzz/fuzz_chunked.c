/* libFuzzer: any bytes as a chunked body, read whole, in two and one by one. Two bytes in front choose split and
 * limits. */

#include "harness.h"

static const struct coppice_chunked_limits roomy = {UINT64_MAX, 4096, 16384, 8192, 64}, tight = {20, 24, 30, 40, 2};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct coppice_chunked_limits *limits;
    const char *input;

    if (size < 2) return 0;
    limits = data[0] & 1 ? &tight : &roomy;
    input = (const char *)data + 2;
    size -= 2;
    harness_compare_bodies(input, size, (struct pieces){data[1], size}, limits);
    harness_compare_bodies(input, size, (struct pieces){0, 1}, limits);
    return 0;
}
