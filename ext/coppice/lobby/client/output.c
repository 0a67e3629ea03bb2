/*
 * Bytes for a client. They are sent from where they are, the answer ring or the worker's file; only what the client
 * does not take is kept. A client that reads too slowly is cut off, by the rules of wait_budget.h.
 */
#include <unistd.h>

#include "shared/socket_io.h"
#include "client.h"

enum {
    PARTS = 32,
    FILE_PIECE = 1024 * 1024,
    FILE_PIECES = 4, /* of one client in a row */
    COPY_BYTES = 64 * 1024,
    TOLERANCE_MS = 2000 /* by which a reader may be behind client_min_rate while a worker waits for room */
};

enum progress { SENT_ALL, SENT_PART, CLIENT_GONE, FILE_SHORT };

static void count_sent(struct coppice_lobby *lobby, struct lobby_connection *connection, size_t sent) {
    lobby_count(lobby, LOBBY_bytes_out, (int64_t)sent);
    if (connection->output == LOBBY_NONE) return;
    struct lobby_output *output = lobby_output_of(lobby, connection);
    output->budget.sent += (int64_t)sent;
    output->sent += sent;
}

static void await(struct coppice_lobby *lobby, struct lobby_connection *connection, struct lobby_output *output) {
    output->waits_since_ms = lobby_process.now_ms;
    lobby_arm(lobby, connection, lobby_process.now_ms + coppice_wait_budget_slice_ms(&output->budget));
}

/* For file systems that sendfile does not know. */
static enum coppice_io_result copy_file(int fd, int file, off_t *offset, size_t count, size_t *sent) {
    static char bytes[COPY_BYTES];
    ssize_t length = pread(file, bytes, count < sizeof(bytes) ? count : sizeof(bytes), *offset);
    *sent = 0;
    if (length <= 0) return COPPICE_IO_DONE;
    struct iovec part = {.iov_base = bytes, .iov_len = (size_t)length};
    enum coppice_io_result result = coppice_io_send(fd, &part, 1, false, sent);
    *offset += (off_t)*sent;
    return result;
}

static enum progress send_file(struct coppice_lobby *lobby, struct lobby_connection *connection, int file, uint64_t *at,
                               uint64_t end) {
    for (int piece = 0; *at < end; piece++) {
        if (piece == FILE_PIECES) { /* the others first: epoll reports it again */
            if (!lobby_register(lobby, connection)) return CLIENT_GONE;
            return SENT_PART;
        }
        size_t count = end - *at < FILE_PIECE ? (size_t)(end - *at) : FILE_PIECE, sent;
        off_t offset = (off_t)*at;
        bool supported;
        enum coppice_io_result result =
            coppice_io_send_file(connection->fd, file, &offset, count, &sent, &supported);
        if (!supported) result = copy_file(connection->fd, file, &offset, count, &sent);
        if (result == COPPICE_IO_CLOSED) return CLIENT_GONE;
        if (result == COPPICE_IO_BLOCKED) return SENT_PART;
        if (sent == 0) return FILE_SHORT;
        *at += sent;
        count_sent(lobby, connection, sent);
    }
    return SENT_ALL;
}

static enum progress send_blocks(struct coppice_lobby *lobby, struct lobby_connection *connection,
                                 struct lobby_output *output) {
    while (output->buffered > 0) {
        struct iovec parts[PARTS];
        int count = lobby_output_parts(lobby, output, parts, PARTS);
        size_t sent;
        bool more = output->spill >= 0 || output->file >= 0;
        enum coppice_io_result result = coppice_io_send(connection->fd, parts, count, more, &sent);
        if (result == COPPICE_IO_CLOSED) return CLIENT_GONE;
        if (result == COPPICE_IO_BLOCKED) return SENT_PART;
        lobby_output_sent(lobby, output, sent);
        count_sent(lobby, connection, sent);
    }
    return SENT_ALL;
}

static enum progress send_kept(struct coppice_lobby *lobby, struct lobby_connection *connection,
                               struct lobby_output *output) {
    enum progress progress = send_blocks(lobby, connection, output);
    if (progress == SENT_ALL && output->spill >= 0) {
        progress = send_file(lobby, connection, output->spill, &output->spill_at, output->spill_end);
        if (progress == SENT_ALL) lobby_output_close_spill(lobby, output);
    }
    if (progress == SENT_ALL && output->file >= 0) {
        progress = send_file(lobby, connection, output->file, &output->file_at, output->file_end);
    }
    return progress;
}

static void spend(struct coppice_lobby *lobby, struct lobby_connection *connection, struct lobby_output *output) {
    coppice_wait_budget_spend(&output->budget, lobby_process.now_ms - output->waits_since_ms);
    output->waits_since_ms = lobby_process.now_ms;
    int queued = coppice_io_queued_bytes(connection->fd);
    coppice_wait_budget_credit_reader(&output->budget, queued, lobby->settings.client_min_rate);
}

/* Nothing is kept any more: what was to come next comes. */
static void drained(struct coppice_lobby *lobby, struct lobby_connection *connection,
                    const struct lobby_output *output) {
    enum lobby_end end = (enum lobby_end)output->end;
    lobby_output_release(lobby, connection);
    lobby_disarm(lobby, connection);
    if (end == LOBBY_END_OPEN)
        lobby_look_at_worker(lobby, connection);
    else
        lobby_wish_answered(end);
}

void lobby_output_flush(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    struct lobby_output *output = lobby_output_of(lobby, connection);
    spend(lobby, connection, output);
    switch (send_kept(lobby, connection, output)) {
    case SENT_ALL:
        drained(lobby, connection, output);
        return;
    case SENT_PART:
        await(lobby, connection, output);
        return;
    case CLIENT_GONE:
        lobby_wish_gone(lobby, connection);
        return;
    case FILE_SHORT:
        lobby_wish(LOBBY_RESET);
        return;
    }
}

void lobby_output_cut(struct coppice_lobby *lobby) {
    lobby_count(lobby, LOBBY_slow_readers, 1);
    lobby_wish(LOBBY_RESET);
}

void lobby_output_waited(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    struct lobby_output *output = lobby_output_of(lobby, connection);
    spend(lobby, connection, output);
    if (coppice_wait_budget_slice_ms(&output->budget) > 0) {
        await(lobby, connection, output);
        return;
    }
    lobby_output_cut(lobby);
}

void lobby_output_cut_slow(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    struct lobby_output *output = lobby_output_of(lobby, connection);
    spend(lobby, connection, output);
    if (output->budget.left_us < (output->budget.pause_ms - TOLERANCE_MS) * 1000) lobby_output_cut(lobby);
}

int64_t lobby_output_rate(const struct lobby_output *output) {
    int64_t taken = (int64_t)output->sent - output->budget.queued;
    return (taken > 0 ? taken : 0) * 1000 / (lobby_process.now_ms - output->begun_ms + 1);
}

static struct lobby_output *begin(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    if (connection->output != LOBBY_NONE) return lobby_output_of(lobby, connection);
    struct lobby_output *output = lobby_output_begin(lobby, connection);
    bool registered = connection->flags & LOBBY_REGISTERED || lobby_register(lobby, connection);
    if (!output || !registered) {
        lobby_wish(LOBBY_RESET);
        return NULL;
    }
    await(lobby, connection, output);
    return output;
}

static void keep_rest(struct coppice_lobby *lobby, struct lobby_connection *connection, const struct iovec *parts,
                      int count, size_t sent) {
    struct lobby_output *output = begin(lobby, connection);
    if (!output) return;
    for (int i = 0; i < count; i++) {
        size_t skipped = sent < parts[i].iov_len ? sent : parts[i].iov_len;
        sent -= skipped;
        const char *bytes = (const char *)parts[i].iov_base + skipped;
        if (lobby_output_keep(lobby, output, bytes, parts[i].iov_len - skipped)) continue;
        lobby_log(lobby, LOBBY_ERROR, "an answer was cut: it cannot be buffered");
        lobby_wish(LOBBY_RESET);
        return;
    }
}

void lobby_output_write(struct coppice_lobby *lobby, struct lobby_connection *connection, const struct iovec *parts,
                        int count, bool more_follows) {
    size_t sent = 0, length = 0;
    for (int i = 0; i < count; i++) length += parts[i].iov_len;
    if (connection->output == LOBBY_NONE) {
        enum coppice_io_result result = coppice_io_send(connection->fd, parts, count, more_follows, &sent);
        if (result == COPPICE_IO_CLOSED) {
            lobby_wish_gone(lobby, connection);
            return;
        }
        count_sent(lobby, connection, sent);
    }
    if (sent < length) keep_rest(lobby, connection, parts, count, sent);
}

void lobby_output_file(struct coppice_lobby *lobby, struct lobby_connection *connection, int file,
                       const struct coppice_record_file *place) {
    uint64_t at = place->offset, end = place->offset + place->length;
    enum progress progress = SENT_PART;
    if (connection->output == LOBBY_NONE) progress = send_file(lobby, connection, file, &at, end);
    if (progress == SENT_PART) {
        struct lobby_output *output = begin(lobby, connection);
        if (output) {
            output->file = file;
            output->file_at = at;
            output->file_end = end;
            return;
        }
    }
    close(file);
    if (progress == CLIENT_GONE) lobby_wish_gone(lobby, connection);
    if (progress == FILE_SHORT) lobby_wish(LOBBY_RESET);
}

void lobby_output_end(struct coppice_lobby *lobby, struct lobby_connection *connection, enum lobby_end end) {
    connection->serial = 0;
    if (connection->output == LOBBY_NONE || end == LOBBY_END_RESET) {
        lobby_wish_answered(end);
        return;
    }
    lobby_output_of(lobby, connection)->end = (uint8_t)end;
    connection->state = LOBBY_FLUSHING;
}
