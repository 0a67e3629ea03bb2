/* libFuzzer: any bytes as a request head, read whole, in two and one by one. Two bytes in front choose split and
 * limits. */

#include "harness.h"

static const struct coppice_http_limits roomy = {15 * 1024, 112 * 1024}, tight = {40, 120};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct coppice_http_limits *limits;
    uint32_t field_capacity;
    const char *input;

    if (size < 2) return 0;
    limits = data[0] & 1 ? &tight : &roomy;
    field_capacity = data[0] & 1 ? 3 : 128;
    input = (const char *)data + 2;
    size -= 2;
    harness_compare_heads(input, size, (struct pieces){data[1], size}, limits, field_capacity);
    harness_compare_heads(input, size, (struct pieces){0, 1}, limits, field_capacity);
    return 0;
}
