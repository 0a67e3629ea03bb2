#ifndef COPPICE_LOBBY_TURNS_H
#define COPPICE_LOBBY_TURNS_H

/*
 * In which order requests that wait are served, in pure C: start-time fair queueing, in worker time. A flow is a client,
 * or a route where clients cannot be told apart. Each request starts where the one before it of the same flow ends, or
 * at the present, and the earliest start comes first. So a flow that asks for more than others waits for itself.
 * Source: Goyal, Vin, Cheng: Start-time Fair Queueing, 1996.
 */

#include <stdint.h>

enum { LOBBY_FLOWS = 1024 }; /* flows whose hashes meet are one */

struct lobby_flow {
    int64_t end_us;  /* of its last request */
    uint32_t round;  /* in which that holds */
};

struct lobby_turns {
    int64_t now_us;  /* virtual: how much worker time each flow could have had in this round */
    uint32_t round;  /* a new one begins once nobody waits */
    struct lobby_flow flows[LOBBY_FLOWS];
};

/* The start of a request with this cost. */
int64_t lobby_turn_start(struct lobby_turns *turns, uint32_t flow, uint32_t cost_us);
/* Where its next request would start. */
int64_t lobby_turn_next(const struct lobby_turns *turns, uint32_t flow);
/* A request is served, while so many others wait. */
void lobby_turn_served(struct lobby_turns *turns, int64_t start_us, uint32_t cost_us, uint32_t waiting);
/* A request of this round has cost so much more, or less. */
void lobby_turn_charge(struct lobby_turns *turns, uint32_t flow, uint32_t round, int64_t more_us);
/* Nobody waits. */
void lobby_turns_end(struct lobby_turns *turns);

#endif
