/*
 * Descriptors that are kept open so that others can be received in their places: where no descriptor is left, a packet
 * comes without those that it carries, and they are lost. And the reserve, in whose place a client is accepted to be
 * refused.
 */
#include <fcntl.h>
#include <unistd.h>

#include "memory.h"

void lobby_reserve_open(struct coppice_lobby *lobby) {
    if (lobby->reserve_fd < 0) lobby->reserve_fd = fcntl(lobby->event_fd, F_DUPFD_CLOEXEC, 0);
}

void lobby_spares_begin(struct coppice_lobby *lobby) {
    lobby->reserve_fd = -1;
    for (int i = 0; i < LOBBY_SPARES; i++) lobby->spare_fds[i] = -1;
    lobby_spares_open(lobby);
}

/* Idle clients make room for them, and not for the reserve. Answers whether all are open. */
bool lobby_spares_open(struct coppice_lobby *lobby) {
    for (int i = 0; i < LOBBY_SPARES; i++) {
        int32_t *spare = &lobby->spare_fds[i];
        while (*spare < 0 && (*spare = fcntl(lobby->event_fd, F_DUPFD_CLOEXEC, 0)) < 0) {
            if (!lobby_evict(lobby)) return false;
        }
    }
    lobby_reserve_open(lobby); /* it may have been lost while the whole system had no descriptor left */
    return true;
}

void lobby_spares_lend(struct coppice_lobby *lobby, int count) {
    for (int i = 0; i < LOBBY_SPARES && count > 0; i++) {
        if (lobby->spare_fds[i] < 0) continue;
        close(lobby_forget_descriptor(&lobby->spare_fds[i]));
        count--;
    }
}
