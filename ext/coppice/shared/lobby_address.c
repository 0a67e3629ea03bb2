#include "lobby_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

void coppice_lobby_address_set(struct coppice_lobby_address *address, int family, const void *bytes) {
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    const uint8_t *from = (const uint8_t *)bytes;
    if (family == AF_INET6 && memcmp(from, mapped, sizeof(mapped)) == 0) {
        family = AF_INET;
        from += sizeof(mapped);
    }
    address->family = (uint16_t)family;
    memcpy(address->bytes, from, family == AF_INET ? 4 : 16);
}

bool coppice_lobby_address_read(struct coppice_lobby_address *address, const char *text, size_t length) {
    char copy[INET6_ADDRSTRLEN] = "";
    struct in6_addr ip;
    if (length >= sizeof(copy) || memchr(text, '\0', length)) return false;
    memcpy(copy, text, length);
    int family = strchr(copy, ':') ? AF_INET6 : AF_INET;
    if (inet_pton(family, copy, &ip) != 1) return false;
    *address = (struct coppice_lobby_address){.family = 0};
    coppice_lobby_address_set(address, family, &ip);
    return true;
}
