#ifndef COPPICE_CONNECTION_H
#define COPPICE_CONNECTION_H

/*
 * One client, as the C files of the HTTP engine share it:
 * connection.c opens it and close.c closes it, request.c reads from it, env.c translates
 * the head it read, response.c and output.c write to it, addresses.c tells its addresses.
 */

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "byte_buffer.h"
#include "chunked.h"
#include "http_parser.h"
#include "patience.h"
#include "response_head.h"

enum coppice_body_state {
    COPPICE_BODY_UNKNOWN, /* the head is not read, or was refused */
    COPPICE_BODY_LENGTH,
    COPPICE_BODY_CHUNKED,
    COPPICE_BODY_READ, /* to its end, or there is none */
    COPPICE_BODY_REFUSED
};

struct coppice_connection_limits {
    struct coppice_http_limits head;
    uint32_t field_count;
    uint64_t body_bytes; /* UINT64_MAX for none */
    int64_t header_timeout_ms;
    int64_t body_timeout_ms;
    int64_t write_timeout_ms;
    int64_t min_rate; /* bytes in a second; 0 for any */
};

struct coppice_connection {
    int fd; /* -1 between two clients */
    unsigned serial; /* another one for each client, and once it is gone: who waited for it may not go on with the next */
    int family;
    struct sockaddr_storage peer;
    char adopted_address[64]; /* of a client that somebody else accepted; else empty */
    bool detached;            /* hijacked: the descriptor belongs to the application now */
    unsigned fork_count;      /* of this process when the client came: see coppice_connection_foreign */
    struct coppice_connection_limits limits;
    VALUE deadline;  /* the application's: a Worker::Deadline, or nil */
    VALUE lingering; /* takes clients that may still be sending: a Lingering, or nil */
    struct coppice_patience reading, writing;

    /* The request: the head stays at the front of `input` until the next client, body bytes follow it. */
    struct coppice_byte_buffer input;
    size_t input_position; /* bytes of `input` that are used up */
    struct coppice_http_parser parser;
    struct coppice_field *fields;
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
    bool sending;          /* by a thread that waits for the client; or one was interrupted in it, and half is sent */
    bool client_gone;
    bool joined_lines; /* the application answers in the manner of Rack 2 */
};

/* The classes, defined by whichever Init comes first. */
VALUE coppice_connection_class(VALUE coppice);

struct coppice_connection *coppice_connection_get(VALUE self);
/* The same, for methods that need a client: raises IOError without one. */
struct coppice_connection *coppice_connection_open(VALUE self);

/* Whether the client was accepted by the process that this one was forked from: it is not ours to say goodbye to. */
bool coppice_connection_foreign(const struct coppice_connection *connection);
bool coppice_connection_method_is(const struct coppice_connection *connection, const char *method);
const char *coppice_connection_bytes(const struct coppice_connection *connection, struct coppice_span span);

/* request.c's part of Init_coppice_connection. */
void coppice_request_define(VALUE connection_class);
void coppice_request_reset(struct coppice_connection *connection);
/* close.c's and addresses.c's parts. */
void coppice_close_define(VALUE connection_class);
void coppice_addresses_define(VALUE connection_class);
/* response.c's: nothing is answered yet. */
void coppice_response_reset(struct coppice_connection *connection);

/* Raise Coppice::ClientGone and Coppice::RequestRefused. */
NORETURN(void coppice_raise_client_gone(struct coppice_connection *connection, const char *during));
NORETURN(void coppice_raise_refused(struct coppice_connection *connection, int status, const char *reason));

#endif
