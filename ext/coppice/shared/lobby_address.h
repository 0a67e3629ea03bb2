#ifndef COPPICE_LOBBY_ADDRESS_H
#define COPPICE_LOBBY_ADDRESS_H

/* The address of a client or of a server, in pure C. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* family: AF_INET, AF_INET6, AF_UNIX, or 0 for none. */
struct coppice_lobby_address {
    uint16_t family;
    uint16_t port;     /* in the host's byte order */
    uint8_t bytes[16]; /* of IPv4 the first four */
};

/* Sets family and bytes of an AF_INET or AF_INET6 address. An IPv4 client of a socket for both families has an IPv6
 * address, "::ffff:192.0.2.1", and counts as any other IPv4 client. */
void coppice_lobby_address_set(struct coppice_lobby_address *address, int family, const void *bytes);
/* An address as the kernel tells it. */
void coppice_lobby_address_of_socket(struct coppice_lobby_address *address, const struct sockaddr_storage *socket);
/* Reads an address without a port. False: the text is none, and `address` is as it was. */
bool coppice_lobby_address_read(struct coppice_lobby_address *address, const char *text, size_t length);

static inline bool coppice_lobby_address_is_ip(const struct coppice_lobby_address *address) {
    return address->family == AF_INET || address->family == AF_INET6;
}

#endif
