/* turns_driver SEED: requests of random flows wait and are served, one after the other. No flow waits for ever, those
 * that always wait get the same worker time, and one that asks for little does not wait for one that asks for much. */

#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "lobby/memory/turns.h"

enum { WAITING = 200, MOST_US = 100000 };

struct waiting {
    int64_t start_us;
    uint32_t flow, cost_us, served_before;
    bool used;
};

static struct lobby_turns turns;
static struct waiting waiting[WAITING];
static uint32_t count, served;
static int64_t given_us[LOBBY_FLOWS];

static void come(uint32_t flow, uint32_t cost_us) {
    for (uint32_t i = 0; i < WAITING; i++) {
        if (waiting[i].used) continue;
        waiting[i] = (struct waiting){.start_us = lobby_turn_start(&turns, flow, cost_us), .flow = flow,
                                      .cost_us = cost_us, .served_before = served, .used = true};
        count++;
        return;
    }
}

static struct waiting serve(void) {
    struct waiting *next = NULL;
    for (uint32_t i = 0; i < WAITING; i++) {
        if (waiting[i].used && (!next || waiting[i].start_us < next->start_us)) next = &waiting[i];
    }
    CHECK(next);
    count--;
    served++;
    lobby_turn_served(&turns, next->start_us, next->cost_us, count);
    given_us[next->flow] += next->cost_us;
    next->used = false;
    if (count == 0) lobby_turns_end(&turns);
    return *next;
}

static void forget(void) {
    while (count > 0) serve();
    memset(given_us, 0, sizeof(given_us));
    served = 0;
}

/* One has many requests waiting, the other two: each gets half of the time, whatever its requests cost. */
static void check_shares(uint64_t *random) {
    uint32_t one = 1000 + check_random(random, MOST_US), other = 1000 + check_random(random, MOST_US);
    forget();
    for (int i = 0; i < 50; i++) come(1, one);
    for (int i = 0; i < 2; i++) come(2, other);
    while (given_us[1] < 2000 * (int64_t)MOST_US) {
        struct waiting served_one = serve();
        come(served_one.flow, served_one.cost_us);
    }
    int64_t difference = given_us[1] - given_us[2];
    CHECK(difference < 4 * MOST_US && difference > -4 * MOST_US);
}

/* Ever new flows do not keep one for ever that has had much: it gets about its part, one in twenty. */
static void check_patience(uint64_t *random) {
    forget();
    for (int i = 0; i < 20; i++) come(0, MOST_US);
    for (uint32_t step = 0; step < 20000; step++) {
        come(1 + check_random(random, LOBBY_FLOWS - 1), 1 + check_random(random, 1000));
        serve();
    }
    CHECK(given_us[0] >= 3 * (int64_t)MOST_US);
}

/* A request that has cost more than was thought is paid by those that follow; one of another round by nobody. */
static void check_charges(void) {
    forget();
    come(1, 10);
    uint32_t round = turns.round;
    lobby_turn_charge(&turns, 1, round, 1000);
    CHECK(lobby_turn_start(&turns, 1, 10) == 1010);
    lobby_turn_charge(&turns, 1, round, -5000);
    CHECK(lobby_turn_start(&turns, 1, 10) == turns.now_us);
    lobby_turn_charge(&turns, 1, round - 1, 1000000);
    CHECK(lobby_turn_start(&turns, 1, 10) < 1000);
    forget();
    CHECK(lobby_turn_start(&turns, 1, 10) == 0);
}

int main(int argument_count, char **arguments) {
    uint64_t random = (argument_count > 1 ? strtoull(arguments[1], NULL, 10) : 1) * 2 + 1;
    check_shares(&random);
    check_patience(&random);
    check_charges();
    forget();
    for (int step = 0; step < 20000; step++) {
        if (count < WAITING && check_random(&random, 2)) come(check_random(&random, 5), 1 + check_random(&random, MOST_US));
        if (count > 0 && check_random(&random, 2)) {
            uint32_t waited = serve().served_before;
            CHECK(served - waited < 50 * WAITING);
        }
    }
    puts("ok");
    return 0;
}
