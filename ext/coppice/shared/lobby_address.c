#include "lobby_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

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

void coppice_lobby_address_of_socket(struct coppice_lobby_address *address, const struct sockaddr_storage *socket) {
    *address = (struct coppice_lobby_address){.family = socket->ss_family};
    if (socket->ss_family == AF_INET) {
        const struct sockaddr_in *inet = (const struct sockaddr_in *)socket;
        address->port = ntohs(inet->sin_port);
        coppice_lobby_address_set(address, AF_INET, &inet->sin_addr);
    } else if (socket->ss_family == AF_INET6) {
        const struct sockaddr_in6 *inet6 = (const struct sockaddr_in6 *)socket;
        address->port = ntohs(inet6->sin6_port);
        coppice_lobby_address_set(address, AF_INET6, &inet6->sin6_addr);
    }
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
