#ifndef COPPICE_LOBBY_PACKETS_H
#define COPPICE_LOBBY_PACKETS_H

/* The packets on a seat's socket, which carry descriptors: see lobby_memory.h. */

#include "lobby_seat.h"
#include "shared/socket_io.h"

/* What came for the request in hand. */
struct coppice_lobby_answer {
    int fd; /* -1 for COPPICE_LOBBY_GONE; else the receiver's, close-on-exec */
    char *bytes; /* room for what came behind the packet */
    size_t capacity, length;
    bool dropped; /* a descriptor came, and there was no number left for it */
};

/* Sends a packet of the request in hand, with a descriptor or -1. Waits for room in the socket. false when it cannot be
 * sent: then the lobby is gone, or the kernel does not pass this descriptor. */
bool coppice_lobby_send_packet(struct coppice_lobby_seat *seat, uint32_t type, int fd, int64_t timeout_ms);

/* One attempt: DONE with an answer, BLOCKED, or CLOSED. Packets of earlier requests, whose answer nobody waited for, are
 * dropped. */
enum coppice_io_result coppice_lobby_receive_packet(struct coppice_lobby_seat *seat,
                                                    struct coppice_lobby_answer *answer);

#endif
