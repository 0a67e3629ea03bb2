/* libFuzzer: any bytes as the header of the PROXY protocol, read at every length. */

#include "../lobby/proxy_harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct coppice_proxy_header header;
    harness_read_proxy((const char *)data, size, &header);
    return 0;
}
