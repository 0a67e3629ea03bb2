#include "worker.h"

bool lobby_seat_takes_requests(const struct coppice_lobby *lobby, uint32_t number) {
    const struct lobby_seat *seat = &lobby->seats[number];
    return !seat->broken && !seat->stalled && !seat->lost;
}

uint32_t lobby_free_workers(const struct coppice_lobby *lobby) {
    uint32_t count = 0;
    for (uint32_t seat = lobby->seat_first; seat != LOBBY_NONE; seat = lobby->seats[seat].next) {
        count += lobby_seat_takes_requests(lobby, seat) && coppice_request_queue_worker_free(lobby->queue, (uint16_t)seat);
    }
    return count;
}

void lobby_look_at_workers(struct coppice_lobby *lobby) {
    lobby->costs->workers = 0;
    for (uint32_t seat = lobby->seat_first; seat != LOBBY_NONE; seat = lobby->seats[seat].next) {
        lobby->costs->workers += lobby_seat_takes_requests(lobby, seat);
    }
    lobby_process.stuck = false;
}
