#ifndef COPPICE_LOBBY_ROUTE_COSTS_H
#define COPPICE_LOBBY_ROUTE_COSTS_H

/*
 * What requests of each route cost, in worker time, in pure C. A route is a method and a path in which segments with a
 * digit, and long ones, count as the same. Slow routes may have only as many workers as the others do not need, as long
 * as others come: a worker that has a request cannot be taken back.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LOBBY_ROUTES = 512,
    LOBBY_ROUTE_NAME = 96 /* bytes, with a NUL: what log and board say */
};

struct lobby_route {
    uint64_t hash;      /* 0: free */
    int64_t used_ms;
    int64_t held_ms;    /* when its requests were held back last; 0 once the log says that it is over */
    uint32_t mean_log;  /* of its last answers, mostly: 256 * log2(µs), so that one alone does not count for many */
    uint32_t answers;   /* up to as many as make it known */
    uint32_t waiting;   /* requests in the backlog */
    uint32_t running;   /* requests that were given to workers */
    uint32_t long_ones; /* those of them that ran for long at the last look */
    uint32_t refused;   /* requests that waited for too long, or with too many, since the log said that they wait */
    bool slow;
    char name[LOBBY_ROUTE_NAME]; /* of one that was slow; else empty */
};

struct lobby_route_costs {
    struct lobby_route routes[LOBBY_ROUTES];
    uint32_t workers;      /* that take requests */
    uint32_t slow_running; /* requests of slow routes that workers have */
    uint32_t usual_log;    /* the same of all, slow ones hardly */
    uint64_t quick_us;     /* worker time that the quick requests will take which came since the last look */
    uint32_t quick_need;   /* mean of that: 1024 times the number of workers that they keep busy */
    uint32_t need_looks;   /* so many looks are in it; a worker that a slow request has got is not taken back */
    int64_t quick_ms;      /* when the last one came of a route that is quick still */
    int64_t looked_ms;
};

/* Never 0. */
uint64_t lobby_route_hash(const char *method, size_t method_length, const char *path, size_t path_length);
/* Writes method and path with * for each segment that varies, cut where there is no room. */
void lobby_route_write_name(char *name, const char *method, size_t method_length, const char *path, size_t path_length);

/* The route's place. A new one takes the place that was used least lately; where requests of others are in all that it
 * may have, it shares one of these. */
uint32_t lobby_route_find(struct lobby_route_costs *costs, uint64_t hash, int64_t now_ms);

/* A request of the route has come. */
void lobby_route_came(struct lobby_route_costs *costs, uint32_t route, int64_t now_ms);
/* Whether it is known, and not slow. */
bool lobby_route_is_quick(const struct lobby_route_costs *costs, uint32_t route);
/* Whether one more of its requests may be given to a worker now. */
bool lobby_route_may_run(const struct lobby_route_costs *costs, uint32_t route, int64_t now_ms);
/* How many workers requests of slow routes may have while others come. */
uint32_t lobby_route_share(const struct lobby_route_costs *costs);
/* A worker will have one of its requests, or has had it for so long. */
void lobby_route_begins(struct lobby_route_costs *costs, uint32_t route);
void lobby_route_ends(struct lobby_route_costs *costs, uint32_t route);
void lobby_route_took(struct lobby_route_costs *costs, uint32_t route, int64_t us, int64_t now_ms);

/* What is expected of one request, in µs. */
uint32_t lobby_route_cost(const struct lobby_route_costs *costs, uint32_t route);
/* Whether one of the route may be given to workers of whom some are free, while others wait in their queue: as many as
 * these will have taken in a millisecond, so that none waits for the lobby; no long one, so that the order is decided
 * late. */
bool lobby_route_finds_room(const struct lobby_route_costs *costs, uint32_t route, uint32_t waiting, uint32_t free);

/* A look at what runs: this, then lobby_route_runs for each request that a worker has had for so long, which answers
 * whether that is long, also for its route, then lobby_route_judge for each route. */
void lobby_route_look(struct lobby_route_costs *costs, int64_t now_ms);
bool lobby_route_runs(struct lobby_route_costs *costs, uint32_t route, int64_t ms);
void lobby_route_judge(struct lobby_route_costs *costs, uint32_t route, int64_t now_ms);

/* Of a successor of the loop: no request runs, until it says so. */
void lobby_routes_idle(struct lobby_route_costs *costs);

#endif
