/* The slots: what the lobby knows of each request from the push to its END. */
#include <string.h>

#include "http/bytes.h"
#include "lobby/parts.h"

enum { SLOT_BITS = 16 };

uint32_t lobby_slot_next(const struct coppice_lobby *lobby) {
    return lobby->free_slot == LOBBY_NONE ? lobby->settings.slots : lobby->free_slot;
}

bool lobby_slot_is_spare(const struct coppice_lobby *lobby, uint32_t slot) {
    return slot == lobby->settings.slots;
}

/* Takes the next slot; its request has no connection yet. */
struct lobby_request *lobby_slot_take(struct coppice_lobby *lobby) {
    uint32_t slot = lobby->free_slot;
    struct lobby_request *request = &lobby->slots[slot];
    lobby->free_slot = request->next_free;
    lobby->used_slots++;
    *request = (struct lobby_request){
        .serial = ++lobby->counter << SLOT_BITS | slot,
        .connection = LOBBY_NONE,
        .next_free = LOBBY_NONE,
        .owner = COPPICE_QUEUE_UNOWNED,
        .body_file = -1,
    };
    return request;
}

void lobby_slot_release(struct coppice_lobby *lobby, uint32_t slot) {
    struct lobby_request *request = &lobby->slots[slot];
    if (request->body_file_bytes > 0) lobby_file_close(lobby, &request->body_file, request->body_file_bytes);
    request->serial = 0;
    request->connection = LOBBY_NONE;
    request->next_free = lobby->free_slot;
    lobby->free_slot = slot;
    lobby->used_slots--;
}

uint32_t lobby_slot_of(const struct coppice_lobby *lobby, const struct lobby_request *request) {
    return (uint32_t)(request - lobby->slots);
}

bool lobby_method_is(const struct coppice_lobby_slot *slot, const char *bytes, const char *name) {
    struct coppice_span method = slot->head.method;
    return method.length == strlen(name) && memcmp(bytes + method.offset, name, method.length) == 0;
}

struct coppice_span lobby_field(const struct coppice_lobby_slot *slot, const char *bytes, const char *name) {
    size_t length = strlen(name);
    for (uint32_t i = 0; i < slot->head.field_count; i++) {
        const struct coppice_field *field = &slot->head.fields[i];
        const uint8_t *from = (const uint8_t *)bytes + field->name.offset;
        if (coppice_bytes_match(from, field->name.length, name, length)) return field->value;
    }
    return (struct coppice_span){.length = 0};
}

/* NULL unless there is a request with just this number, which workers may have invented. */
struct lobby_request *lobby_request_of(const struct coppice_lobby *lobby, uint64_t serial) {
    uint32_t slot = (uint32_t)(serial & ((1u << SLOT_BITS) - 1));
    if (serial == 0 || slot >= lobby->settings.slots || lobby->slots[slot].serial != serial) return NULL;
    return &lobby->slots[slot];
}

/* Kept once it is known: the queue's cell will be used again. */
int lobby_owner_of(const struct coppice_lobby *lobby, struct lobby_request *request) {
    if (request->owner == COPPICE_QUEUE_UNOWNED) {
        uint16_t slot = (uint16_t)lobby_slot_of(lobby, request);
        request->owner = coppice_request_queue_owner(lobby->queue, request->position, slot);
        if (request->owner < COPPICE_QUEUE_UNOWNED) lobby_process.queue_spoilt = true;
    }
    return request->owner;
}

bool lobby_request_withdraw(struct coppice_lobby *lobby, struct lobby_request *request) {
    uint16_t slot = (uint16_t)lobby_slot_of(lobby, request);
    if (request->owner != COPPICE_QUEUE_UNOWNED) return false;
    if (!coppice_request_queue_withdraw(lobby->queue, request->position, slot)) return false;
    lobby_log_access(lobby, NULL, request, 0, 0, "client gone");
    lobby->pushed[request->position & (lobby->queue_size - 1)] = LOBBY_NONE;
    lobby_slot_release(lobby, slot);
    return true;
}

void lobby_request_drop(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    struct lobby_request *request = lobby_request_of(lobby, connection->serial);
    connection->serial = 0;
    if (!request || lobby_request_withdraw(lobby, request)) return;
    request->connection = LOBBY_NONE;
    struct coppice_lobby_slot *slot = lobby_slot_at(lobby, lobby_slot_of(lobby, request));
    atomic_store_explicit(&slot->client_gone, 1, memory_order_release);
}
