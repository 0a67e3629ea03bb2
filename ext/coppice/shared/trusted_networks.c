#include "trusted_networks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static bool read_bits(struct coppice_network *network, const char *text) {
    long most = network->address.family == AF_INET6 ? 128 : 32;
    network->bits = (uint16_t)most;
    if (*text == '\0') return true;
    char *end;
    long bits = strtol(text + 1, &end, 10);
    network->bits = (uint16_t)bits;
    return end != text + 1 && *end == '\0' && bits >= 0 && bits <= most;
}

bool coppice_trusted_networks_add(struct coppice_trusted_networks *trusted, const char *text) {
    if (trusted->count == COPPICE_TRUSTED_NETWORKS) return false;
    struct coppice_network network;
    size_t length = strcspn(text, "/");
    if (!coppice_lobby_address_read(&network.address, text, length)) return false;
    if (!read_bits(&network, text + length)) return false;
    trusted->networks[trusted->count++] = network;
    return true;
}

static bool within(const struct coppice_network *network, const struct coppice_lobby_address *address) {
    const struct coppice_lobby_address *first = &network->address;
    if (first->family != address->family) return false;
    unsigned whole = network->bits / 8u, rest = network->bits % 8u;
    if (memcmp(first->bytes, address->bytes, whole) != 0) return false;
    return rest == 0 || (first->bytes[whole] ^ address->bytes[whole]) >> (8 - rest) == 0;
}

bool coppice_trusted_networks_include(const struct coppice_trusted_networks *trusted,
                                      const struct coppice_lobby_address *address) {
    if (address->family == AF_UNIX) return true;
    for (uint32_t i = 0; i < trusted->count; i++) {
        if (within(&trusted->networks[i], address)) return true;
    }
    return false;
}
