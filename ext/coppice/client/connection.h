#ifndef COPPICE_CONNECTION_H
#define COPPICE_CONNECTION_H

/*
 * One client, as the C files of the HTTP engine share it: accept.c opens it and close.c closes it, request.c and
 * request_body.c read from it, env.c translates the head, response.c and output.c write to it, addresses.c tells its
 * addresses. connection.c knows none of them: it owns the memory.
 */

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "shared/byte_buffer.h"
#include "http/http.h"
#include "shared/lobby_memory.h"
#include "response_head.h"
#include "board/traffic.h"
#include "transport.h"
#include "shared/wait_budget.h"

enum coppice_body_state {
    COPPICE_BODY_UNKNOWN, /* the head is not read, or was refused */
    COPPICE_BODY_LENGTH,
    COPPICE_BODY_CHUNKED,
    COPPICE_BODY_FILE, /* the lobby has it in a file */
    COPPICE_BODY_READ, /* to its end, or there is none */
    COPPICE_BODY_REFUSED
};

struct coppice_connection_limits {
    struct coppice_http_limits head;
    uint32_t field_count;
    uint64_t max_body_bytes; /* UINT64_MAX for none */
    int64_t client_header_timeout_ms;
    int64_t client_body_timeout_ms;
    int64_t client_write_timeout_ms;
    int64_t client_min_rate; /* bytes in a second; 0 for any */
};

struct coppice_lobby_seat;

struct coppice_connection {
    const struct coppice_transport *transport;
    int fd;                           /* -1 between two clients, and for a client of the lobby */
    struct coppice_lobby_seat *seat;  /* where its request came from; NULL for a descriptor */
    VALUE seat_object;
    unsigned serial; /* grows with each client and when it is gone, so that a thread which waited for it notices */
    int family;
    struct coppice_lobby_address peer;
    char adopted_address[64]; /* of a client that was accepted elsewhere; else empty */
    char request_id[40];      /* made where the client sent none; else empty */
    int64_t queued_us;        /* monotonic: when the lobby had the whole request; 0 without a lobby */
    int64_t reading_us;       /* from its first byte until then */
    struct coppice_lobby_address server; /* where a client of the lobby connected to */
    bool https;               /* the client used TLS to the proxy, as the listener or a PROXY header says */
    bool detached;            /* hijacked: the descriptor belongs to the application now */
    unsigned fork_count;      /* of this process when the client came: see coppice_connection_foreign */
    unsigned copy_count;      /* the same, see coppice_connection_copied */
    struct coppice_connection_limits limits;
    VALUE deadline;  /* the application's: a Worker::Deadline, or nil */
    VALUE lingering; /* takes clients that may still be sending: a Lingering, or nil */
    VALUE access_log; /* gets a line for each client that this process has accepted: an AccessLog, or nil */
    int64_t waited_us;  /* before the worker had it; -1 for not known */
    int64_t started_us; /* monotonic: when its env was made; 0 before that, and without an access log */
    struct coppice_traffic traffic;
    struct coppice_wait_budget read_budget, write_budget;

    /* The request: the head's bytes stay at the front of `input` until the next client, body bytes follow them. All but
     * read_head look only at `head`, which may have been parsed elsewhere. */
    struct coppice_byte_buffer input;
    size_t input_position; /* bytes of `input` that are used up */
    struct coppice_http_parser parser;
    struct coppice_request_head *head; /* with room for limits.field_count fields, or more */
    bool head_complete;
    enum coppice_body_state body;
    uint64_t body_remaining;
    struct coppice_chunked chunked;
    unsigned dropped_headers; /* left out of the env for an underscore in their names */
    const char *refusal; /* why the request was refused; a static text */
    bool continue_due;   /* the client waits for 100 Continue */

    /* The response. */
    struct coppice_byte_buffer output; /* written by the application, not yet sent */
    struct coppice_framing framing;
    bool head_made;        /* it is gathered or sent */
    bool response_started; /* a byte of it may have left */
    bool finished;         /* nothing more of the response is to come */
    bool sending;          /* by a thread that waits for the client; or one was interrupted in it, and half is sent */
    bool client_gone;
    bool rack2; /* the application's Rack is 2 */
};

/* Coppice::Http::Connection, defined by the Init that comes first. */
VALUE coppice_connection_class(VALUE coppice);

struct coppice_connection *coppice_connection_get(VALUE self);
/* The same, for methods that need a client: raises IOError without one. */
struct coppice_connection *coppice_connection_open(VALUE self);

static inline bool coppice_connection_has_client(const struct coppice_connection *connection) {
    return connection->fd >= 0 || connection->seat;
}

/* Grows in each forked child, so that it can tell what is its parent's without a system call. */
unsigned coppice_fork_count(void);

/* Another client, of the peer that is set already. The request and the response are to be reset as well. */
void coppice_connection_begin(struct coppice_connection *connection, int fd);
/* The descriptor is closed, or another's; or the lobby has its client back. */
void coppice_connection_end(struct coppice_connection *connection);

/* Whether the client was accepted by the process that forked this one, which alone may answer it. */
bool coppice_connection_foreign(const struct coppice_connection *connection);
/* Raises IOError if so. */
void coppice_connection_check_own(const struct coppice_connection *connection);
/* Whether this process has forked since the client came: the copy, which may live long, has the descriptor as well. */
bool coppice_connection_copied(const struct coppice_connection *connection);
bool coppice_connection_method_is(const struct coppice_connection *connection, const char *method);
const char *coppice_connection_bytes(const struct coppice_connection *connection, struct coppice_span span);

/* In addresses.c: of this end of a socket. */
struct coppice_lobby_address coppice_local_address(int fd);

/* In response.c: nothing is answered yet. */
void coppice_response_reset(struct coppice_connection *connection);

/* Raise Coppice::ClientGone and Coppice::RequestRefused. */
NORETURN(void coppice_raise_client_gone(struct coppice_connection *connection, const char *during));
NORETURN(void coppice_raise_refused(struct coppice_connection *connection, int status, const char *reason));

#endif
