/* Clients of a listener with proxy_protocol: their first bytes say whom the proxy connects for. */
#include <string.h>

#include "client.h"
#include "proxy_protocol.h"

/* The proxy may stay idle for longer; its client is counted as one who came by itself. */
static bool rename_client(struct coppice_lobby *lobby, struct lobby_connection *connection,
                          const struct coppice_proxy_header *header) {
    if (!header->known) return true;
    lobby_client_leave(lobby, connection);
    connection->client = header->client;
    connection->server = header->server;
    connection->flags |= LOBBY_NAMED;
    if (header->tls_known) connection->flags &= (uint16_t)~LOBBY_HTTPS; /* it knows better than the listener */
    if (header->https) connection->flags |= LOBBY_HTTPS;
    return lobby_client_enter(lobby, connection);
}

enum lobby_proxied lobby_take_proxy_header(struct coppice_lobby *lobby, struct lobby_connection *connection,
                                           char *bytes, size_t *length) {
    struct coppice_proxy_header header;
    if (!(connection->flags & LOBBY_PROXY_DUE)) return LOBBY_PROXIED;
    switch (coppice_proxy_parse(bytes, *length, &header)) {
    case COPPICE_PROXY_INCOMPLETE:
        return LOBBY_PROXY_INCOMPLETE;
    case COPPICE_PROXY_REFUSED:
        lobby_wish_refusal(400, "the connection does not begin with a valid PROXY header");
        return LOBBY_PROXY_REFUSED;
    case COPPICE_PROXY_TOO_LONG:
        lobby_wish_refusal(400, "the PROXY header is longer than 16 KiB");
        return LOBBY_PROXY_REFUSED;
    case COPPICE_PROXY_COMPLETE:
        break;
    }
    connection->flags &= (uint16_t)~LOBBY_PROXY_DUE;
    if (!rename_client(lobby, connection, &header)) {
        lobby_refuse_client(lobby);
        return LOBBY_PROXY_REFUSED;
    }
    *length -= header.length;
    memmove(bytes, bytes + header.length, *length);
    return LOBBY_PROXIED;
}
