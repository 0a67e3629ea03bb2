/*
 * WebSocket handshakes of one path: their clients leave the lobby for a service, which no refork replaces, with all that
 * was read of them. Every other request of that path goes to a worker.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/http.h"
#include "shared/packets.h"
#include "worker.h"

enum { KEY_BYTES = 24 /* 16 in base64 */ };

void lobby_handshakes_to(struct coppice_lobby *lobby, const char *path, int fd) {
    if (lobby->handshakes_fd >= 0) close(lobby->handshakes_fd);
    lobby->handshakes_fd = fd;
    snprintf(lobby->handshakes_path, sizeof(lobby->handshakes_path), "%s", path);
}

/* The path itself, or one below it; one with encoded letters is another one. */
static bool covers(const char *path, const char *bytes, struct coppice_span span) {
    size_t length = strlen(path);
    if (length == 0 || span.length < length || memcmp(bytes + span.offset, path, length) != 0) return false;
    return span.length == length || bytes[span.offset + length] == '/';
}

static bool field_is(const struct coppice_request_head *head, const char *bytes, const char *name, const char *lower) {
    struct coppice_span value = coppice_request_field(head, bytes, name);
    return coppice_bytes_match((const uint8_t *)bytes + value.offset, value.length, lower, strlen(lower));
}

/* RFC 6455 4.2.1; what is not quite one is for the application to refuse. */
bool lobby_is_handshake(const struct coppice_lobby *lobby, const struct coppice_lobby_slot *slot, const char *bytes) {
    const struct coppice_request_head *head = &slot->head;
    return head->upgrade && covers(lobby->handshakes_path, bytes, head->path) &&
           lobby_method_is(slot, bytes, "GET") && !head->chunked && head->content_length == 0 &&
           field_is(head, bytes, "upgrade", "websocket") && field_is(head, bytes, "sec-websocket-version", "13") &&
           coppice_request_field(head, bytes, "sec-websocket-key").length == KEY_BYTES;
}

/* A line "ADDRESS HTTPS ID", with "-" for the address of a Unix socket's client, goes in front of the request; without
 * an ID if the client has sent one. */
static struct iovec describe(const struct lobby_connection *connection, const struct coppice_lobby_slot *slot,
                             char *line, size_t capacity) {
    char address[INET6_ADDRSTRLEN] = "-";
    const struct coppice_lobby_address *client = &connection->client;
    if (coppice_lobby_address_is_ip(client)) inet_ntop(client->family, client->bytes, address, sizeof(address));
    int https = connection->flags & LOBBY_HTTPS ? 1 : 0;
    int length = snprintf(line, capacity, "%s %d %s\n", address, https, slot->request_id);
    return (struct iovec){.iov_base = line, .iov_len = (size_t)length};
}

bool lobby_pass_handshake(struct coppice_lobby *lobby, struct lobby_connection *connection,
                          const struct lobby_arrival *arrival) {
    char line[INET6_ADDRSTRLEN + sizeof(((struct coppice_lobby_slot *)0)->request_id) + 8];
    struct coppice_lobby_slot *slot = lobby_slot_at(lobby, arrival->slot);
    if (lobby->handshakes_fd < 0 || lobby->handshakes_held) return false;
    lobby_identify(lobby, slot);
    struct iovec parts[] = {describe(connection, slot, line, sizeof(line)),
                            {.iov_base = lobby_slot_bytes(lobby, slot), .iov_len = arrival->length},
                            lobby_surplus(lobby, connection)};
    lobby_unregister(lobby, connection);
    connection->flags |= LOBBY_PASSED;
    if (!coppice_packet_send(lobby->handshakes_fd, parts, 3, connection->fd)) {
        connection->flags &= (uint16_t)~LOBBY_PASSED;
        return false;
    }
    lobby_count(lobby, LOBBY_handshakes, 1);
    lobby_process.wish.arrived = slot;
    lobby_log_access(lobby, connection, NULL, 0, 0, "handed over");
    lobby_process.wish.arrived = NULL;
    lobby_wish(LOBBY_CLOSE);
    return true;
}
