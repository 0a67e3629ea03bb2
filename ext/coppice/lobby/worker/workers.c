#include "worker.h"

/* Workers find what they can do in this time: then they get more from the lobby, also on a busy machine. */
enum { REFILL_US = 1000 };

bool lobby_seat_takes_requests(const struct coppice_lobby *lobby, uint32_t number) {
    const struct lobby_seat *seat = &lobby->seats[number];
    return !seat->broken && !seat->stalled && !seat->lost;
}

static uint32_t count_workers(const struct coppice_lobby *lobby) {
    uint32_t count = 0;
    for (uint32_t seat = lobby->seat_first; seat != LOBBY_NONE; seat = lobby->seats[seat].next) {
        count += lobby_seat_takes_requests(lobby, seat);
    }
    return count;
}

uint32_t lobby_free_workers(const struct coppice_lobby *lobby) {
    uint32_t count = 0;
    for (uint32_t seat = lobby->seat_first; seat != LOBBY_NONE; seat = lobby->seats[seat].next) {
        count += lobby_seat_takes_requests(lobby, seat) && coppice_request_queue_worker_free(lobby->queue, (uint16_t)seat);
    }
    return count;
}

void lobby_look_at_workers(struct coppice_lobby *lobby) {
    uint32_t workers = count_workers(lobby), usual_us = lobby_route_usual(lobby->costs);
    uint32_t done = usual_us > 0 ? (uint32_t)((uint64_t)workers * REFILL_US / usual_us) : workers;
    lobby->costs->workers = workers;
    lobby->queue_depth = done > 0 ? done : 1;
    lobby_process.stuck = false;
}
