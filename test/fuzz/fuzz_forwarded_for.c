/* libFuzzer: any bytes as the values of X-Forwarded-For, from a proxy that is trusted. */

#include <sys/socket.h>

#include "../lobby/check.h"
#include "../lobby/forwarded_harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct coppice_lobby_address peer = {.family = AF_INET, .bytes = {10, 0, 0, 1}};
    struct coppice_lobby_address client = harness_forwarded_for((const char *)data, size, &peer);
    CHECK(client.family == AF_INET || client.family == AF_INET6 || client.family == AF_UNIX);
    return 0;
}
