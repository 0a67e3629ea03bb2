/* What workers note on the board of the requests that they have. */
#include "memory.h"

static int64_t board_value(const struct coppice_lobby *lobby, uint64_t offset) {
    if (offset == 0 || offset % sizeof(int64_t) != 0 || offset > lobby->board_bytes - sizeof(int64_t)) return 0;
    return atomic_load_explicit((_Atomic int64_t *)(void *)(lobby->board + offset), memory_order_acquire);
}

/* What was noted before this request came is another one's. */
int64_t lobby_seat_started_ms(const struct coppice_lobby *lobby, const struct lobby_request *request) {
    const struct coppice_lobby_slot *slot = lobby_slot_at(lobby, lobby_slot_of(lobby, request));
    int64_t started_ms = board_value(lobby, lobby->seats[request->owner].started_at);
    return started_ms < slot->queued_us / 1000 ? 0 : started_ms;
}

int64_t lobby_seat_deadline_ms(const struct coppice_lobby *lobby, const struct lobby_request *request) {
    return board_value(lobby, lobby->seats[request->owner].deadline_at);
}
