/* Slots, by their numbers. */
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
