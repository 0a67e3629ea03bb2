#include "proxy_harness.h"

#include <string.h>

#include "check.h"

static enum coppice_proxy_result read_beginning(const char *input, size_t length, struct coppice_proxy_header *header) {
    char *copy = malloc(length); /* exactly as long: a byte more is an error */
    if (length) memcpy(copy, input, length);
    enum coppice_proxy_result result = coppice_proxy_parse(copy, length, header);
    free(copy);
    return result;
}

enum coppice_proxy_result harness_read_proxy(const char *input, size_t length, struct coppice_proxy_header *header) {
    struct coppice_proxy_header whole;
    enum coppice_proxy_result verdict = COPPICE_PROXY_INCOMPLETE;
    size_t most = length < 2 * COPPICE_PROXY_BYTES ? length : 2 * COPPICE_PROXY_BYTES;

    memset(header, 0, sizeof(*header));
    for (size_t known = 0; known <= most; known++) {
        enum coppice_proxy_result result = read_beginning(input, known, &whole);
        if (verdict == COPPICE_PROXY_INCOMPLETE) {
            verdict = result;
            if (result == COPPICE_PROXY_COMPLETE) {
                CHECK(whole.length == known);
                *header = whole;
            }
        }
        CHECK(result == verdict);
        if (verdict == COPPICE_PROXY_COMPLETE) CHECK(memcmp(&whole, header, sizeof(whole)) == 0);
        if (known >= COPPICE_PROXY_BYTES) CHECK(verdict != COPPICE_PROXY_INCOMPLETE);
    }
    return verdict;
}
