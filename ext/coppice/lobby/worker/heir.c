/* The heir: the worker that stays fit to be forked. */
#include "worker.h"

/* Workers read it when they take a request. */
void lobby_heir_note(const struct coppice_lobby *lobby) {
    atomic_store(&lobby->queue->heir, lobby->heir == LOBBY_NONE ? 0 : lobby->heir + 1);
}

/* It comes first for all other requests, so that it is warm when there are few. */
void lobby_heir_is(struct coppice_lobby *lobby, uint32_t number) {
    uint32_t former = lobby->heir;
    lobby->heir = number < COPPICE_LOBBY_SEATS && lobby->seats[number].used ? number : LOBBY_NONE;
    lobby_heir_note(lobby);
    if (former == lobby->heir) return;
    if (former != LOBBY_NONE && lobby->seats[former].used) lobby_seat_prefer(lobby, former, false);
    if (lobby->heir != LOBBY_NONE) lobby_seat_prefer(lobby, lobby->heir, true);
}
