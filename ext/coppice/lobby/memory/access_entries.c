/* What the access log tells of each request, and the IDs that requests are known by. */
#include <unistd.h>

#include "shared/socket_io.h"
#include "memory.h"

void lobby_identify(struct coppice_lobby *lobby, struct coppice_lobby_slot *slot) {
    coppice_access_identify(&lobby->request_ids, &slot->head, lobby_slot_bytes(lobby, slot), slot->request_id);
}

/* How long it waited and was worked on, as far as its worker has said when it began. */
static void add_times(struct coppice_access_entry *entry, const struct lobby_request *request,
                      const struct coppice_lobby_slot *slot) {
    int64_t started_us = request->started_us;
    if (started_us == 0) return;
    entry->queue_us = started_us > slot->queued_us ? started_us - slot->queued_us : 0;
    entry->application_us = lobby_process.now_us > started_us ? lobby_process.now_us - started_us : 0;
}

static void add_slot(struct coppice_lobby *lobby, struct coppice_access_entry *entry, struct coppice_lobby_slot *slot) {
    coppice_access_describe(entry, &slot->head, lobby_slot_bytes(lobby, slot), &lobby->settings.trusted_proxies,
                            slot->request_id);
}

/* It was refused before it was a request of its own. */
static void add_arrival(struct coppice_lobby *lobby, struct coppice_access_entry *entry,
                        const struct lobby_connection *connection) {
    entry->client = connection->client;
    struct lobby_intake *intake = connection->intake == LOBBY_NONE ? NULL : lobby_intake_of(lobby, connection);
    if (lobby_process.wish.arrived)
        add_slot(lobby, entry, lobby_process.wish.arrived);
    else if (intake && intake->head_complete)
        coppice_access_describe(entry, &intake->head, lobby_intake_bytes(lobby, intake),
                                &lobby->settings.trusted_proxies, "");
}

static void add_request(struct coppice_lobby *lobby, struct coppice_access_entry *entry,
                        const struct lobby_request *request) {
    struct coppice_lobby_slot *slot = lobby_slot_at(lobby, lobby_slot_of(lobby, request));
    entry->client = slot->client;
    add_slot(lobby, entry, slot);
    add_times(entry, request, slot);
    if (request->owner < 0) return;
    entry->worker = lobby->seats[request->owner].worker;
    entry->generation = lobby->seats[request->owner].generation;
}

void lobby_log_access(struct coppice_lobby *lobby, const struct lobby_connection *connection,
                      struct lobby_request *request, int status, uint64_t bytes, const char *cause) {
    if (!lobby->access_log || (request && request->logged)) return;
    if (request) request->logged = true;
    struct coppice_access_entry entry = {.time_ms = coppice_unix_us() / 1000,
                                         .status = status,
                                         .bytes = bytes,
                                         .queue_us = -1,
                                         .application_us = -1,
                                         .worker = -1,
                                         .cause = cause};
    if (request)
        add_request(lobby, &entry, request);
    else if (connection)
        add_arrival(lobby, &entry, connection);
    coppice_access_log_add(lobby->access_log, &entry);
}

void lobby_flush_access_log(struct coppice_lobby *lobby) {
    if (!lobby->access_log || lobby->access_log->used == 0) return;
    coppice_access_log_flush(lobby->access_log);
    int64_t dropped = (int64_t)lobby->access_log->dropped;
    if (dropped == 0) return;
    atomic_fetch_add(&lobby->counters[LOBBY_log_lines_dropped], dropped); /* workers count there as well */
    lobby->access_log->dropped = 0;
}

void lobby_reopen_access_log(struct coppice_lobby *lobby, int fd) {
    int old = lobby->access_log ? coppice_access_log_reopen(lobby->access_log, fd) : fd;
    if (old >= 0) close(old);
}
