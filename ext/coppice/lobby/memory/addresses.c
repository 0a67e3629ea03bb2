/* Addresses as the kernel has them. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "memory.h"

void lobby_read_address(struct coppice_lobby_address *address, const struct sockaddr_storage *socket) {
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
