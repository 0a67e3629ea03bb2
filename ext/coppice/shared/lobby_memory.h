#ifndef COPPICE_LOBBY_MEMORY_H
#define COPPICE_LOBBY_MEMORY_H

/*
 * What the lobby and the workers share, in pure C. The lobby owns the clients; workers own the answers.
 *
 *   requests   one slot for each request that waits or is served. Only the lobby can write: the file is sealed.
 *   queue      request_queue.h: which slots wait, who has taken which. Lobby and workers write.
 *   ring n     answer_ring.h: what the worker on seat n answers. That worker and the lobby write.
 *
 * A seat is a worker's place at the lobby: its ring, its eventfd and its socket. The monitor numbers seats; a worker
 * keeps its seat for life, and no two living workers have the same one.
 */

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "http/http.h"
#include "lobby_address.h"

enum {
    COPPICE_LOBBY_VERSION = 3,
    COPPICE_LOBBY_SEATS = 2048,
    COPPICE_LOBBY_PAGE = 4096,
    COPPICE_LOBBY_SLOT_BYTES = 128 * 1024 /* at least: a head of max_header_bytes always fits */
};

#define COPPICE_LOBBY_MAGIC UINT64_C(0x79626f4c70706f43) /* "CoppLoby" */

enum coppice_lobby_flags {
    COPPICE_LOBBY_KEEP = 1,       /* the connection may stay open after the answer */
    COPPICE_LOBBY_BODY_FILE = 2,  /* the body is a file: ask for it on the seat's socket */
    COPPICE_LOBBY_UNBUFFERED = 4, /* the body is not read: ask for the client on the seat's socket */
    COPPICE_LOBBY_RETRIED = 8,    /* another worker died while it had this request */
    COPPICE_LOBBY_HTTPS = 16      /* the client used TLS to the proxy */
};

/* One request. All but `client_gone` is written before the slot is pushed, and stays until its END was read. */
struct coppice_lobby_slot {
    uint64_t serial; /* of the request: no two of one server are the same; answers name it */
    int64_t arrived_us; /* monotonic: when its first byte was read */
    int64_t queued_us;  /* monotonic: when it was complete */
    uint64_t body_length; /* of the body without chunks, in the slot or in the file */
    uint32_t length; /* bytes of the head, and of the body in the slot that follows it */
    uint32_t flags;
    struct coppice_lobby_address client, server; /* server: only for a request without Host, else family 0 */
    char request_id[40]; /* made by the lobby where the client sent none; ends with NUL; else empty */
    _Atomic uint32_t client_gone; /* 1 once nobody will read the answer */
    uint32_t reserved;
    struct coppice_request_head head; /* with room for field_capacity fields; offsets count from the slot's bytes */
};

/* The first page of the requests. Slot i begins at slots_at + i * slot_bytes, its bytes at bytes_at from there. */
struct coppice_lobby_requests {
    uint64_t magic;
    uint32_t version;
    uint32_t slot_count;
    uint32_t slot_bytes;
    uint32_t field_capacity;
    uint32_t bytes_at;
    uint32_t slots_at;
};

static inline const struct coppice_lobby_slot *coppice_lobby_slot_at(const struct coppice_lobby_requests *requests,
                                                                     uint32_t index) {
    const char *base = (const char *)requests;
    return (const struct coppice_lobby_slot *)(const void *)(base + requests->slots_at +
                                                             (size_t)index * requests->slot_bytes);
}

static inline const char *coppice_lobby_slot_bytes(const struct coppice_lobby_requests *requests,
                                                   const struct coppice_lobby_slot *slot) {
    return (const char *)slot + requests->bytes_at;
}

/* A packet on a seat's socket (SEQPACKET). Some carry one descriptor. */
enum coppice_lobby_packet_type {
    COPPICE_LOBBY_ASK_BODY = 1,   /* from the worker: the file with the body of this request */
    COPPICE_LOBBY_ASK_CLIENT = 2, /* from the worker: the client's descriptor; what was answered so far goes first */
    COPPICE_LOBBY_FILE = 3,       /* from the worker, before the FILE record: the file to send */
    COPPICE_LOBBY_BODY = 4,       /* from the lobby: the file */
    COPPICE_LOBBY_CLIENT = 5,     /* from the lobby: the descriptor, which the lobby has forgotten */
    COPPICE_LOBBY_GONE = 6        /* from the lobby: there is no such request or client any more */
};

struct coppice_lobby_packet {
    uint32_t type;
    uint32_t reserved;
    uint64_t serial;
};

#endif
