/* In which order seats are woken. */
#include "worker.h"

void lobby_seat_unlink(struct coppice_lobby *lobby, uint32_t number) {
    struct lobby_seat *seat = &lobby->seats[number];
    *(seat->previous == LOBBY_NONE ? &lobby->seat_first : &lobby->seats[seat->previous].next) = seat->next;
    *(seat->next == LOBBY_NONE ? &lobby->seat_last : &lobby->seats[seat->next].previous) = seat->previous;
}

static void link_seat(struct coppice_lobby *lobby, uint32_t number, uint32_t before) {
    struct lobby_seat *seat = &lobby->seats[number];
    seat->next = before;
    seat->previous = before == LOBBY_NONE ? lobby->seat_last : lobby->seats[before].previous;
    *(seat->previous == LOBBY_NONE ? &lobby->seat_first : &lobby->seats[seat->previous].next) = number;
    *(before == LOBBY_NONE ? &lobby->seat_last : &lobby->seats[before].previous) = number;
}

static int32_t order(const struct lobby_seat *seat) { return seat->first ? -1 : seat->worker; }

/* The lowest worker first keeps the others cold; fair: the one first that has rested for longest. */
void lobby_seat_link(struct coppice_lobby *lobby, uint32_t number) {
    uint32_t before = LOBBY_NONE;
    if (!lobby->settings.accept_order_fair) {
        before = lobby->seat_first;
        while (before != LOBBY_NONE && order(&lobby->seats[before]) <= order(&lobby->seats[number])) {
            before = lobby->seats[before].next;
        }
    }
    link_seat(lobby, number, before);
}

void lobby_seat_prefer(struct coppice_lobby *lobby, uint32_t number, bool first) {
    lobby->seats[number].first = first;
    lobby_seat_unlink(lobby, number);
    lobby_seat_link(lobby, number);
}

void lobby_seat_rested(struct coppice_lobby *lobby, uint32_t number) {
    if (!lobby->settings.accept_order_fair || lobby->seat_last == number) return;
    lobby_seat_unlink(lobby, number);
    link_seat(lobby, number, LOBBY_NONE);
}
