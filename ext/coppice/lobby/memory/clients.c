/*
 * How many connections each client has: of an IPv4 address, or of the /64 of an IPv6 one. Proxies that are trusted are
 * not counted. A table with open addressing: an entry stays where it is as long as it has connections.
 */
#include <string.h>
#include <sys/socket.h>

#include "memory.h"

struct lobby_client_count {
    uint64_t key;
    uint32_t count;
    bool used; /* stays, so that those behind it are found */
};

uint32_t lobby_clients_size(uint32_t max_connections) {
    uint32_t size = 64;
    while (size < max_connections * 2) size *= 2;
    return size;
}

size_t lobby_clients_bytes(uint32_t size) {
    return size * sizeof(struct lobby_client_count);
}

uint64_t lobby_client_key(const struct coppice_lobby_address *address) {
    uint64_t key = 0;
    memcpy(&key, address->bytes, address->family == AF_INET ? 4 : 8);
    return address->family == AF_INET ? key | UINT64_C(1) << 63 : key;
}

/* The entry with this key, or the first that has no connections and may become it. There always is one, as there are
 * more entries than connections. */
static uint32_t find(const struct coppice_lobby *lobby, uint64_t key) {
    uint32_t vacant = LOBBY_NONE;
    uint32_t at = lobby_place_of(lobby, key, lobby->clients_size);
    for (uint32_t i = 0; i < lobby->clients_size; i++, at = (at + 1) & (lobby->clients_size - 1)) {
        const struct lobby_client_count *entry = &lobby->clients[at];
        if (entry->used && entry->key == key) return at;
        if (entry->count == 0 && vacant == LOBBY_NONE) vacant = at;
        if (!entry->used) break;
    }
    return vacant;
}

bool lobby_client_enter(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    uint32_t most = lobby->settings.max_connections_per_client;
    bool exempt = (connection->flags & (LOBBY_TRUSTED_PEER | LOBBY_NAMED)) == LOBBY_TRUSTED_PEER;
    if (most == 0 || exempt || !coppice_lobby_address_is_ip(&connection->client)) return true;
    uint64_t key = lobby_client_key(&connection->client);
    uint32_t at = find(lobby, key);
    struct lobby_client_count *entry = &lobby->clients[at];
    if (entry->count == 0) *entry = (struct lobby_client_count){.key = key, .used = true};
    if (entry->count >= most) return false;
    entry->count++;
    connection->client_entry = at;
    return true;
}

/* Entries without connections at the end of a row of used ones are not needed to find others. */
static void shorten_row(struct coppice_lobby *lobby, uint32_t at) {
    uint32_t mask = lobby->clients_size - 1;
    if (lobby->clients[(at + 1) & mask].used) return;
    while (lobby->clients[at].used && lobby->clients[at].count == 0) {
        lobby->clients[at].used = false;
        at = (at - 1) & mask;
    }
}

void lobby_client_leave(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    uint32_t at = connection->client_entry;
    if (at == LOBBY_NONE) return;
    connection->client_entry = LOBBY_NONE;
    if (--lobby->clients[at].count == 0) shorten_row(lobby, at);
}

void lobby_clients_clear(struct coppice_lobby *lobby) {
    memset(lobby->clients, 0, lobby_clients_bytes(lobby->clients_size));
}
