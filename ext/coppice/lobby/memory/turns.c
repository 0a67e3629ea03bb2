#include "turns.h"

static struct lobby_flow *flow_of(struct lobby_turns *turns, uint32_t flow) {
    struct lobby_flow *one = &turns->flows[flow % LOBBY_FLOWS];
    if (one->round != turns->round) *one = (struct lobby_flow){.round = turns->round};
    return one;
}

int64_t lobby_turn_next(const struct lobby_turns *turns, uint32_t flow) {
    const struct lobby_flow *one = &turns->flows[flow % LOBBY_FLOWS];
    return one->round == turns->round && one->end_us > turns->now_us ? one->end_us : turns->now_us;
}

int64_t lobby_turn_start(struct lobby_turns *turns, uint32_t flow, uint32_t cost_us) {
    int64_t start_us = lobby_turn_next(turns, flow);
    flow_of(turns, flow)->end_us = start_us + cost_us;
    return start_us;
}

/* Time goes on even if all requests come from new flows, which start at the present: so that each start is reached. */
void lobby_turn_served(struct lobby_turns *turns, int64_t start_us, uint32_t cost_us, uint32_t waiting) {
    if (start_us > turns->now_us) turns->now_us = start_us;
    turns->now_us += cost_us / (waiting + 1) + 1;
}

void lobby_turn_charge(struct lobby_turns *turns, uint32_t flow, uint32_t round, int64_t more_us) {
    if (round != turns->round) return;
    struct lobby_flow *one = flow_of(turns, flow);
    one->end_us = one->end_us + more_us > 0 ? one->end_us + more_us : 0;
}

void lobby_turns_end(struct lobby_turns *turns) {
    turns->round++;
    turns->now_us = 0;
}
