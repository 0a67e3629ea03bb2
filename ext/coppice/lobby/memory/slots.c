/* Slots, and what the heads of requests in them say. */
#include <string.h>

#include "http/http.h"
#include "memory.h"

uint32_t lobby_slot_next(const struct coppice_lobby *lobby) {
    return lobby->free_slot == LOBBY_NONE ? lobby->settings.slots : lobby->free_slot;
}

bool lobby_slot_is_spare(const struct coppice_lobby *lobby, uint32_t slot) {
    return slot == lobby->settings.slots;
}

uint32_t lobby_slot_of(const struct coppice_lobby *lobby, const struct lobby_request *request) {
    return (uint32_t)(request - lobby->slots);
}

struct coppice_span lobby_field(const struct coppice_lobby_slot *slot, const char *bytes, const char *name) {
    size_t length = strlen(name);
    for (uint32_t i = 0; i < slot->head.field_count; i++) {
        const struct coppice_field *field = &slot->head.fields[i];
        if (field->name.length != length) continue;
        if (coppice_bytes_match((const uint8_t *)bytes + field->name.offset, length, name, length)) return field->value;
    }
    return (struct coppice_span){.length = 0};
}
