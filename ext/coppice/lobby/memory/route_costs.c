#include "route_costs.h"

#include <string.h>

enum {
    KNOWN = 5,             /* answers after which a route is known */
    SLOW_MS = 1000,        /* what a worker is kept free from: more would cost a busy server more than it helps */
    LONG_MS = 100,         /* if all workers had such requests, one would be free after this time, or later */
    LONG_LEAST_MS = 250,
    WAYS = 4,              /* places that a route may have, side by side */
    SEGMENT = 24,          /* bytes: a longer one is a name, or a token */
    SLOWER = 2 * 256,      /* by which factor a slow route is slower than others, as 256 * log2: 4 */
    LONG_ONES = 2,         /* of a route that is known to be quick */
    FORGET_MS = 30 * 1000, /* a route that was slow, and that nobody has asked for since */
    REFILL_US = 1000,      /* what workers find is done then, and they have got more: also on a busy machine */
    WORTH_A_WAKE_LOG = 3640, /* 20 ms: a worker that waits for the lobby loses less than a hundredth of it */
    LEAST_WORKERS = 3,     /* with fewer nothing can be kept for others */
    ROUTE_WEIGHT = 4,      /* of one answer in the mean of its route: a fourth */
    QUICK_WEIGHT = 32,     /* in that of all */
    SLOW_WEIGHT = 512,
    NEED_LOOKS = 16        /* of which the need of quick requests is the mean, mostly */
};

#ifndef OTHERS_MS /* tests have it longer than a machine may be busy */
#define OTHERS_MS (60 * 1000) /* others come, if one has come so lately */
#endif

#define MOST_US UINT32_C(0x7fffffff)

/* FNV-1a. */
static uint64_t hash_byte(uint64_t hash, char byte) { return (hash ^ (uint8_t)byte) * UINT64_C(0x100000001b3); }

struct segment {
    size_t end; /* the next slash, or the path's end */
    bool varies;
    uint64_t hash; /* of all up to there */
};

static struct segment read_segment(uint64_t hash, const char *path, size_t length, size_t at) {
    uint64_t before = hash;
    bool digits = false;
    size_t end = at;
    for (; end < length && path[end] != '/'; end++) {
        hash = hash_byte(hash, path[end]);
        digits |= path[end] >= '0' && path[end] <= '9';
    }
    bool varies = digits || end - at > SEGMENT;
    return (struct segment){.end = end, .varies = varies, .hash = varies ? hash_byte(before, '*') : hash};
}

uint64_t lobby_route_hash(const char *method, size_t method_length, const char *path, size_t path_length) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < method_length; i++) hash = hash_byte(hash, method[i]);
    for (size_t at = 0; at <= path_length; at++) { /* behind each slash */
        struct segment segment = read_segment(hash_byte(hash, '/'), path, path_length, at);
        hash = segment.hash;
        at = segment.end;
    }
    return hash ? hash : 1;
}

/* What is no ASCII could do harm in a terminal. */
static size_t append(char *name, size_t used, const char *bytes, size_t length) {
    for (size_t i = 0; i < length && used < LOBBY_ROUTE_NAME - 1; i++) {
        name[used++] = bytes[i] > ' ' && bytes[i] <= '~' ? bytes[i] : '?';
    }
    name[used] = '\0';
    return used;
}

void lobby_route_write_name(char *name, const char *method, size_t method_length, const char *path,
                            size_t path_length) {
    size_t used = append(name, 0, method, method_length);
    if (used < LOBBY_ROUTE_NAME - 1) name[used++] = ' ';
    for (size_t at = 0; at <= path_length; at++) {
        struct segment segment = read_segment(0, path, path_length, at);
        if (at > 0) used = append(name, used, "/", 1);
        used = segment.varies ? append(name, used, "*", 1) : append(name, used, path + at, segment.end - at);
        at = segment.end;
    }
}

/* 256 * log2, the fraction by a straight line. */
static uint32_t log_of(uint32_t us) {
    if (us < 2) return 0;
    uint32_t whole = 31 - (uint32_t)__builtin_clz(us);
    return whole * 256 + (uint32_t)((((uint64_t)us << 8) >> whole) - 256);
}

static uint32_t from_log(uint32_t log) {
    return (uint32_t)(((UINT64_C(256) + log % 256) << (log / 256)) >> 8);
}

static bool long_time(const struct lobby_route_costs *costs, uint32_t us) {
    uint64_t least_ms = (uint64_t)costs->workers * LONG_MS;
    if (us < LONG_LEAST_MS * 1000 || us < least_ms * 1000) return false;
    return log_of(us) >= costs->usual_log + SLOWER;
}

static bool in_use(const struct lobby_route *route) { return route->running > 0 || route->waiting > 0; }

static bool better_place(const struct lobby_route *route, const struct lobby_route *other) {
    return in_use(route) != in_use(other) ? in_use(other) : route->used_ms < other->used_ms;
}

uint32_t lobby_route_find(struct lobby_route_costs *costs, uint64_t hash, int64_t now_ms) {
    uint32_t first = (uint32_t)(hash % (LOBBY_ROUTES / WAYS)) * WAYS, best = first;
    for (uint32_t at = first; at < first + WAYS; at++) {
        struct lobby_route *route = &costs->routes[at];
        if (route->hash == hash) {
            route->used_ms = now_ms;
            return at;
        }
        if (better_place(route, &costs->routes[best])) best = at;
    }
    struct lobby_route *place = &costs->routes[best];
    if (!in_use(place)) *place = (struct lobby_route){.hash = hash, .used_ms = now_ms};
    return best;
}

static bool known(const struct lobby_route *route) { return route->answers >= KNOWN; }

bool lobby_route_is_quick(const struct lobby_route_costs *costs, uint32_t route) {
    return known(&costs->routes[route]) && !costs->routes[route].slow;
}

void lobby_route_came(struct lobby_route_costs *costs, uint32_t route, int64_t now_ms) {
    if (!lobby_route_is_quick(costs, route)) return;
    costs->quick_us += lobby_route_cost(costs, route);
    costs->quick_ms = now_ms;
}

/* With a half more than quick requests need on average, and one: they do not come evenly. */
uint32_t lobby_route_share(const struct lobby_route_costs *costs) {
    uint32_t kept = 1 + (costs->quick_need * 3 + 2047) / 2048;
    return costs->workers > kept ? costs->workers - kept : 1;
}

/* A route that is not known yet, whose first requests may hang, has no more alone than slow ones together. */
bool lobby_route_may_run(const struct lobby_route_costs *costs, uint32_t route, int64_t now_ms) {
    const struct lobby_route *one = &costs->routes[route];
    if (lobby_route_is_quick(costs, route)) return true;
    if (costs->workers < LEAST_WORKERS || now_ms - costs->quick_ms > OTHERS_MS || costs->quick_ms == 0) return true;
    return (one->slow ? costs->slow_running : one->running) < lobby_route_share(costs);
}

void lobby_route_begins(struct lobby_route_costs *costs, uint32_t route) {
    costs->routes[route].running++;
    costs->slow_running += costs->routes[route].slow;
}

void lobby_route_ends(struct lobby_route_costs *costs, uint32_t route) {
    if (costs->routes[route].running == 0) return;
    costs->routes[route].running--;
    costs->slow_running -= costs->routes[route].slow && costs->slow_running > 0;
}

static uint32_t cost_log(const struct lobby_route_costs *costs, uint32_t route) {
    const struct lobby_route *one = &costs->routes[route];
    return one->answers > 0 ? one->mean_log : costs->usual_log;
}

uint32_t lobby_route_cost(const struct lobby_route_costs *costs, uint32_t route) {
    return from_log(cost_log(costs, route));
}

bool lobby_route_finds_room(const struct lobby_route_costs *costs, uint32_t route, uint32_t waiting, uint32_t free) {
    uint32_t log = cost_log(costs, route);
    if (waiting < free || log >= WORTH_A_WAKE_LOG) return waiting < free;
    uint64_t more = log > 0 ? (uint64_t)costs->workers * REFILL_US / from_log(log) : costs->workers;
    return waiting == free || waiting < free + more;
}

/* A step of a mean, at least by one. */
static uint32_t moved(uint32_t mean, uint32_t value, uint32_t weight) {
    if (value > mean) return mean + (value - mean + weight - 1) / weight;
    return mean - (mean - value + weight - 1) / weight;
}

void lobby_route_look(struct lobby_route_costs *costs, int64_t now_ms) {
    int64_t ms = now_ms - costs->looked_ms;
    if (ms > 0 && costs->looked_ms > 0) {
        uint64_t sample = costs->quick_us * 1024 / ((uint64_t)ms * 1000);
        uint32_t need = sample < 1 << 24 ? (uint32_t)sample : 1 << 24;
        if (costs->quick_need == 0) costs->need_looks = 0; /* a new start, behind a pause of twenty seconds or so */
        if (costs->need_looks < NEED_LOOKS) costs->need_looks++;
        costs->quick_need = moved(costs->quick_need, need, costs->need_looks);
    }
    costs->looked_ms = now_ms;
    costs->quick_us = 0;
    for (uint32_t i = 0; i < LOBBY_ROUTES; i++) {
        if (costs->routes[i].long_ones > 0) costs->routes[i].long_ones = 0;
    }
}

bool lobby_route_runs(struct lobby_route_costs *costs, uint32_t route, int64_t ms) {
    uint32_t us = ms > MOST_US / 1000 ? MOST_US : (uint32_t)ms * 1000;
    const struct lobby_route *one = &costs->routes[route];
    bool as_usual = known(one) && !one->slow && log_of(us) < one->mean_log + SLOWER;
    bool runs_long = long_time(costs, us) && !as_usual;
    costs->routes[route].long_ones += runs_long;
    return runs_long;
}

/* By its answers; and before they come, where those that run are late: one alone may be an exception. */
static bool is_slow(const struct lobby_route_costs *costs, const struct lobby_route *route, int64_t now_ms) {
    if (!in_use(route) && now_ms - route->used_ms > FORGET_MS) return false;
    if (!known(route)) return route->long_ones > 0;
    uint32_t mean_us = from_log(route->mean_log);
    return (mean_us >= SLOW_MS * 1000 && long_time(costs, mean_us)) || route->long_ones >= LONG_ONES;
}

/* A route that was quick until now has been none of the others. */
static int64_t last_quick_ms(const struct lobby_route_costs *costs) {
    int64_t last_ms = 0;
    for (uint32_t at = 0; at < LOBBY_ROUTES; at++) {
        if (lobby_route_is_quick(costs, at) && costs->routes[at].used_ms > last_ms) last_ms = costs->routes[at].used_ms;
    }
    return last_ms;
}

void lobby_route_judge(struct lobby_route_costs *costs, uint32_t route, int64_t now_ms) {
    struct lobby_route *one = &costs->routes[route];
    bool slow = is_slow(costs, one, now_ms);
    if (slow == one->slow) return;
    one->slow = slow;
    if (slow) {
        costs->slow_running += one->running;
        costs->quick_ms = last_quick_ms(costs);
    } else {
        costs->slow_running -= one->running < costs->slow_running ? one->running : costs->slow_running;
    }
    if (!slow && !in_use(one)) one->answers = 0; /* they are too old to tell */
}

/* Slow ones count a little in what is usual: where all requests become slow, it is what they take. */
void lobby_route_took(struct lobby_route_costs *costs, uint32_t route, int64_t us, int64_t now_ms) {
    struct lobby_route *one = &costs->routes[route];
    uint32_t took = us < 1 ? 1 : us > MOST_US ? MOST_US : (uint32_t)us, log = log_of(took);
    bool slow = one->slow || long_time(costs, took);
    one->mean_log = one->answers == 0 ? log : moved(one->mean_log, log, ROUTE_WEIGHT);
    costs->usual_log = costs->usual_log == 0 ? log : moved(costs->usual_log, log, slow ? SLOW_WEIGHT : QUICK_WEIGHT);
    if (!known(one)) one->answers++;
    lobby_route_judge(costs, route, now_ms);
}

void lobby_routes_idle(struct lobby_route_costs *costs) {
    costs->slow_running = 0;
    for (uint32_t i = 0; i < LOBBY_ROUTES; i++) costs->routes[i].running = costs->routes[i].waiting = 0;
}
