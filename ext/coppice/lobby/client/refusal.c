/* Answers of the lobby's own: the same pages as those of a worker that refuses a request. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shared/status_line.h"
#include "client.h"

enum { PAGE_BYTES = 256, RETRY_AFTER_S = 3, RETRY_SPREAD_S = 5 };

static void *reallocate(void *memory, size_t size) {
    if (size == 0) {
        free(memory);
        return NULL;
    }
    memory = realloc(memory, size);
    if (!memory) abort(); /* of one page of text: the keeper makes the next loop */
    return memory;
}

/* Clients that are refused together do not come again together. */
static unsigned retry_after_s(void) {
    static unsigned refused;
    return RETRY_AFTER_S + refused++ % RETRY_SPREAD_S;
}

static struct coppice_byte_buffer *make_page(int status, const char *reason, bool head_only) {
    static struct coppice_byte_buffer buffer;
    char page[PAGE_BYTES], fields[PAGE_BYTES];
    if (!buffer.reallocate) coppice_byte_buffer_init(&buffer, reallocate);
    buffer.length = 0;
    int page_length = snprintf(page, sizeof(page), "%d: %s\n", status, reason);
    coppice_status_line_append(&buffer, status);
    coppice_date_line_append(&buffer);
    int length = snprintf(fields, sizeof(fields), "content-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\n",
                          page_length);
    if (status == 503) {
        length += snprintf(fields + length, sizeof(fields) - (size_t)length, "retry-after: %u\r\n", retry_after_s());
    }
    length += snprintf(fields + length, sizeof(fields) - (size_t)length, "connection: close\r\n\r\n");
    coppice_byte_buffer_append(&buffer, fields, (size_t)length);
    if (!head_only) coppice_byte_buffer_append(&buffer, page, (size_t)page_length);
    return &buffer;
}

static void count_refusal(const struct coppice_lobby *lobby, int status) {
    static const struct {
        int status;
        enum lobby_counter counter;
    } counted[] = {{400, LOBBY_refused_400}, {408, LOBBY_refused_408}, {413, LOBBY_refused_413},
                   {414, LOBBY_refused_414}, {417, LOBBY_refused_417}, {431, LOBBY_refused_431},
                   {501, LOBBY_refused_501}, {505, LOBBY_refused_505}, {507, LOBBY_refused_507},
                   {502, LOBBY_lost_502},    {504, LOBBY_expired_504}};
    for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
        if (counted[i].status == status) lobby_count(lobby, counted[i].counter, 1);
    }
}

/* One that is refused before it is queued has no record yet. */
static bool head_only(const struct coppice_lobby *lobby, const struct lobby_request *request) {
    struct coppice_lobby_slot *arrived = lobby_process.wish.arrived;
    if (request) return request->head_only;
    return arrived && lobby_method_is(arrived, lobby_slot_bytes(lobby, arrived), "HEAD");
}

/* The client may still be sending, so it gets time to read this. */
void lobby_refuse(struct coppice_lobby *lobby, struct lobby_connection *connection, struct lobby_request *request,
                  int status, const char *reason) {
    struct coppice_byte_buffer *page = make_page(status, reason, head_only(lobby, request));
    struct iovec part = {.iov_base = page->data, .iov_len = page->length};
    count_refusal(lobby, status);
    lobby_log(lobby, LOBBY_DEBUG, "request refused\nstatus %d\nreason %s", status, reason);
    lobby_log_access(lobby, connection, request, status, page->length, reason);
    lobby_leave_idle(lobby, connection);
    lobby_disarm(lobby, connection);
    if (connection->serial) lobby_request_drop(lobby, connection);
    lobby_intake_release(lobby, connection);
    connection->flags |= LOBBY_NO_KEEP;
    connection->state = LOBBY_FLUSHING;
    lobby_output_write(lobby, connection, &part, 1, false);
    lobby_output_end(lobby, connection, LOBBY_END_CLOSE);
}

void lobby_refuse_client(const struct coppice_lobby *lobby) {
    lobby_count(lobby, LOBBY_shed_client_limit, 1);
    lobby_wish_refusal(503, "this client has as many connections as it may");
}

void lobby_turn_away(const struct coppice_lobby *lobby, int fd) {
    const struct coppice_byte_buffer *page = make_page(503, "the server has as many connections as it may", false);
    lobby_count(lobby, LOBBY_shed_max_connections, 1);
    (void)send(fd, page->data, page->length, MSG_DONTWAIT | MSG_NOSIGNAL);
    close(fd);
}
