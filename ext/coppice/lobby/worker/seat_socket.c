/* A worker's socket: for descriptors, in both directions, which a ring cannot carry. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shared/packets.h"
#include "worker.h"

enum sending { SENT, UNSENT, WORKER_GONE };

static enum sending send_packet(struct coppice_lobby *lobby, uint32_t number, enum coppice_lobby_packet_type type,
                                uint64_t serial, int descriptor, struct iovec more) {
    struct coppice_lobby_packet packet = {.type = (uint32_t)type, .serial = serial};
    struct iovec parts[] = {{.iov_base = &packet, .iov_len = sizeof(packet)}, more};
    if (coppice_packet_send(lobby->seats[number].socket_fd, parts, 2, descriptor)) return SENT;
    if (errno == EPIPE || errno == ECONNRESET) return WORKER_GONE;
    lobby_log(lobby, LOBBY_WARN, "a packet did not reach a worker: %s", strerror(errno));
    return UNSENT;
}

void lobby_seat_refuse(struct coppice_lobby *lobby, uint32_t number, uint64_t serial) {
    send_packet(lobby, number, COPPICE_LOBBY_GONE, serial, -1, (struct iovec){.iov_len = 0});
}

/* What the request needs could not be sent to its worker. What a worker that is gone has asked for, the next one may
 * ask for again. */
static void fail_unsent(struct coppice_lobby *lobby, uint32_t seat, struct lobby_request *request,
                        enum sending sending) {
    if (sending != UNSENT) return;
    lobby_seat_refuse(lobby, seat, request->serial);
    if (request->connection != LOBBY_NONE) lobby_request_condemn(request, 502, "the worker was not reached", false);
}

/* With what the client has sent beyond its request. The request goes on without a connection until its END. */
void lobby_pass_client(struct coppice_lobby *lobby, struct lobby_connection *connection, uint32_t seat,
                       struct lobby_request *request) {
    lobby_unregister(lobby, connection);
    connection->flags |= LOBBY_PASSED;
    enum sending sending = send_packet(lobby, seat, COPPICE_LOBBY_CLIENT, request->serial, connection->fd,
                                       lobby_surplus(lobby, connection));
    if (sending != SENT) {
        connection->flags &= (uint16_t)~LOBBY_PASSED;
        fail_unsent(lobby, seat, request, sending);
        return;
    }
    lobby_log_access(lobby, connection, request, request->status, request->sent, "handed over");
    request->connection = LOBBY_NONE;
    connection->serial = 0;
    lobby_wish(LOBBY_CLOSE);
}

/* No other worker gets a request that is not idempotent, so the loop gives its file up. The kernel frees a file for the
 * process that closes it last. That takes long where it is large: it is to be the worker, as all clients wait for the
 * loop. */
static void pass_body(struct coppice_lobby *lobby, uint32_t seat, uint64_t serial) {
    struct lobby_request *request = lobby_request_of_seat(lobby, seat, serial);
    if (!request || request->body_file < 0 || lseek(request->body_file, 0, SEEK_SET) < 0) {
        lobby_seat_refuse(lobby, seat, serial);
        return;
    }
    enum sending sending =
        send_packet(lobby, seat, COPPICE_LOBBY_BODY, serial, request->body_file, (struct iovec){.iov_len = 0});
    if (sending != SENT)
        fail_unsent(lobby, seat, request, sending);
    else if (!request->idempotent)
        close(lobby_forget_descriptor(&request->body_file));
}

/* It gets the client once its ring was read: what is in it was answered before. */
static void ask_client(struct coppice_lobby *lobby, uint32_t number, uint64_t serial) {
    struct lobby_seat *seat = &lobby->seats[number];
    if (seat->asks_for && seat->asks_for != serial) lobby_seat_refuse(lobby, number, seat->asks_for);
    seat->asks_for = serial;
    lobby_seat_look(number);
}

/* Of the next packet; 0: it is not a whole one. Answers as recv. What comes behind this look is not read before the next
 * one: it may be a file that is to stay. */
static ssize_t look_at_next(const struct lobby_seat *seat, uint32_t *type) {
    struct coppice_lobby_packet packet;
    ssize_t length = recv(seat->socket_fd, &packet, sizeof(packet), MSG_PEEK | MSG_DONTWAIT);
    *type = length == (ssize_t)sizeof(packet) ? packet.type : 0;
    return length;
}

/* A file waits for its record: a second one stays in the socket, and what is behind it. */
static bool next_stays(const struct lobby_seat *seat, uint32_t type) {
    return type == COPPICE_LOBBY_FILE && (seat->file >= 0 || seat->file_lost);
}

/* The room for a file is made for it alone: this is done for each file that is sent. */
static ssize_t receive(struct coppice_lobby *lobby, const struct lobby_seat *seat, uint32_t type,
                       struct coppice_lobby_packet *packet, int *descriptor) {
    struct iovec part = {.iov_base = packet, .iov_len = sizeof(*packet)};
    int count;
    *descriptor = -1;
    if (type == COPPICE_LOBBY_FILE) lobby_spares_lend(lobby, 1);
    ssize_t length = coppice_packet_receive(seat->socket_fd, &part, 1, descriptor, 1, &count);
    if (type == COPPICE_LOBBY_FILE) lobby_spares_open(lobby);
    return length;
}

bool lobby_seat_read(struct coppice_lobby *lobby, uint32_t number) {
    struct lobby_seat *seat = &lobby->seats[number];
    while (seat->used) {
        struct coppice_lobby_packet packet;
        int descriptor;
        uint32_t type;
        ssize_t length = look_at_next(seat, &type);
        if (length > 0 && next_stays(seat, type)) return false;
        if (length > 0) length = receive(lobby, seat, type, &packet, &descriptor);
        if (length <= 0) return length == 0;
        if (length == (ssize_t)sizeof(packet)) {
            if (packet.type == COPPICE_LOBBY_FILE) {
                seat->file = descriptor;
                seat->file_lost = descriptor < 0;
                seat->file_serial = packet.serial;
                continue;
            }
            if (packet.type == COPPICE_LOBBY_ASK_BODY) pass_body(lobby, number, packet.serial);
            if (packet.type == COPPICE_LOBBY_ASK_CLIENT) ask_client(lobby, number, packet.serial);
        }
        if (descriptor >= 0) close(descriptor);
    }
    return false;
}
