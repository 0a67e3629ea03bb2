#ifndef COPPICE_TRANSPORT_H
#define COPPICE_TRANSPORT_H

/*
 * How bytes reach a client, and how it goes: over a descriptor of this process (descriptor_transport.c), or through a
 * seat at the lobby (lobby_transport.c). All else of a connection is the same for both.
 */

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "shared/socket_io.h"
#include "shared/wait_budget.h"

struct coppice_connection;

struct coppice_transport {
    /* Without Ruby's lock, until the client is ready for `events` or gone, or until then. Answers whether it is. */
    bool (*wait)(const struct coppice_connection *connection, short events, int64_t deadline_ms);
    /* What is known of how fast the client reads. */
    void (*credit_reader)(const struct coppice_connection *connection, struct coppice_wait_budget *budget);
    /* Whether it has left; one look, no waiting. */
    bool (*client_gone)(const struct coppice_connection *connection);

    /* As Connection#read_head. */
    VALUE (*begin_request)(struct coppice_connection *connection);

    /* Whether its connection may stay open after the response. */
    bool (*keeps)(const struct coppice_connection *connection);
    /* As coppice_io_send; more_follows: bytes that must be written before anybody need see these. */
    enum coppice_io_result (*write)(struct coppice_connection *connection, const struct iovec *parts, int count,
                                    bool more_follows, size_t *sent);
    /* A whole interim answer. BLOCKED: it may fit later. */
    enum coppice_io_result (*write_interim)(struct coppice_connection *connection, const char *bytes, size_t length,
                                            size_t *sent);
    /* As coppice_io_send_file. */
    enum coppice_io_result (*write_file)(struct coppice_connection *connection, int file, off_t *offset,
                                         uint64_t length, size_t *sent, bool *supported);
    /* Sends what is gathered: the response's last bytes. Nothing is missing of a whole one. */
    void (*finish)(struct coppice_connection *connection, bool whole);

    /* The client goes, by a close that lets it read the response, or by a reset. */
    void (*leave)(struct coppice_connection *connection, bool reset);
    /* It is a descriptor of this process from now on, and what it has sent meanwhile in the connection's input. Answers
     * 0, or an error: EMFILE when this process has no number left for it, else ECONNRESET. */
    int (*take_over)(struct coppice_connection *connection);
};

extern const struct coppice_transport coppice_descriptor_transport, coppice_lobby_transport;

/* Through the lobby: the descriptor of the file with the body, which is the caller's. Raises Coppice::ClientGone, or
 * Errno::EMFILE. */
int coppice_lobby_body_file(struct coppice_connection *connection);

#endif
