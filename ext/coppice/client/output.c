/* Sends what was gathered for a client. */
#include "output.h"

#include <poll.h>
#include <string.h>

#include "client_wait.h"
#include "shared/socket_io.h"

/* One run of bytes to send: what is gathered, then a String of the application, then the end of its chunk. */
struct outgoing {
    struct iovec parts[3];
    int first; /* parts before it are sent */
    int count;
    VALUE body; /* the String behind one of the parts, or Qfalse */
    int body_part;
};

static void add_part(struct outgoing *outgoing, const char *bytes, size_t length) {
    if (length > 0) outgoing->parts[outgoing->count++] = (struct iovec){.iov_base = (char *)bytes, .iov_len = length};
}

static void advance(struct outgoing *outgoing, size_t sent) {
    while (sent > 0) {
        struct iovec *part = &outgoing->parts[outgoing->first];
        size_t step = sent < part->iov_len ? sent : part->iov_len;
        part->iov_base = (char *)part->iov_base + step;
        part->iov_len -= step;
        sent -= step;
        if (part->iov_len == 0) outgoing->first++;
    }
}

/* During a wait other threads run: the String must keep its bytes where they are. A frozen copy shares them. */
static void hold_body_still(struct outgoing *outgoing) {
    if (!outgoing->body || OBJ_FROZEN(outgoing->body) || outgoing->body_part < outgoing->first) return;
    struct iovec *part = &outgoing->parts[outgoing->body_part];
    ptrdiff_t done = (char *)part->iov_base - RSTRING_PTR(outgoing->body);
    outgoing->body = rb_str_new_frozen(outgoing->body);
    part->iov_base = RSTRING_PTR(outgoing->body) + done;
}

void coppice_output_sent(struct coppice_connection *connection, size_t bytes) {
    connection->write_budget.sent += (int64_t)bytes;
    coppice_traffic_sent(&connection->traffic, bytes);
}

void coppice_output_wait(struct coppice_connection *connection) {
    switch (coppice_wait_for_client(connection, POLLOUT, &connection->write_budget)) {
    case COPPICE_WAIT_PAUSED:
        coppice_raise_client_gone(connection, "it read nothing for longer than client_write_timeout");
    case COPPICE_WAIT_SLOW:
        coppice_raise_client_gone(connection, "it read slower than client_min_rate");
    case COPPICE_WAIT_READY:
        break;
    }
}

static enum coppice_io_result transfer(struct coppice_connection *connection, const struct outgoing *outgoing,
                                       bool more_follows, size_t *sent) {
    const struct iovec *parts = outgoing->parts + outgoing->first;
    int count = outgoing->count - outgoing->first;
    return connection->transport->write(connection, parts, count, more_follows, sent);
}

static void send_outgoing(struct coppice_connection *connection, struct outgoing *outgoing, bool more_follows) {
    bool begins = !connection->response_started;
    connection->response_started = connection->sending = true;
    while (outgoing->first < outgoing->count) {
        size_t sent = 0;
        enum coppice_io_result result = transfer(connection, outgoing, more_follows, &sent);
        if (result == COPPICE_IO_CLOSED) coppice_raise_client_gone(connection, "the response did not reach it");
        advance(outgoing, sent);
        coppice_output_sent(connection, sent);
        if (begins && sent > 0) coppice_traffic_response(&connection->traffic, connection->framing.status);
        if (sent > 0) begins = false;
        if (result == COPPICE_IO_BLOCKED) {
            hold_body_still(outgoing);
            coppice_output_wait(connection);
        }
    }
    connection->sending = false;
}

void coppice_output_send(struct coppice_connection *connection, VALUE body, size_t length, const char *tail) {
    struct outgoing outgoing = {.body = body};
    add_part(&outgoing, connection->output.data, connection->output.length);
    outgoing.body_part = outgoing.count;
    if (body) add_part(&outgoing, RSTRING_PTR(body), length);
    if (tail) add_part(&outgoing, tail, strlen(tail));
    send_outgoing(connection, &outgoing, false);
    connection->output.length = 0;
    RB_GC_GUARD(outgoing.body);
}

void coppice_output_flush(struct coppice_connection *connection) {
    if (connection->output.length > 0) coppice_output_send(connection, Qfalse, 0, NULL);
}

void coppice_output_cork(struct coppice_connection *connection) {
    struct outgoing outgoing = {.body = Qfalse};
    add_part(&outgoing, connection->output.data, connection->output.length);
    send_outgoing(connection, &outgoing, true);
    connection->output.length = 0;
}

bool coppice_output_send_interim(struct coppice_connection *connection, const char *bytes, size_t length) {
    const struct coppice_transport *transport = connection->transport;
    enum coppice_io_result result;
    size_t sent = 0;
    connection->sending = true;
    while ((result = transport->write_interim(connection, bytes, length, &sent)) == COPPICE_IO_BLOCKED) {
        coppice_output_wait(connection);
    }
    connection->sending = false;
    coppice_traffic_sent(&connection->traffic, sent);
    return result == COPPICE_IO_DONE && sent == length;
}
