/* route_costs_driver SEED: what is learned of routes, and how many workers slow ones may have. */

#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "lobby/memory/route_costs.h"

static struct lobby_route_costs costs;
static int64_t now_ms;

static uint32_t route(const char *method, const char *path) {
    uint64_t hash = lobby_route_hash(method, strlen(method), path, strlen(path));
    return lobby_route_find(&costs, hash, now_ms);
}

static void start(uint32_t workers) {
    memset(&costs, 0, sizeof(costs));
    costs.workers = workers;
    now_ms = 1000;
}

static void serve(uint32_t at, int64_t ms) {
    lobby_route_came(&costs, at, now_ms);
    lobby_route_begins(&costs, at);
    lobby_route_took(&costs, at, ms * 1000, now_ms);
    lobby_route_ends(&costs, at);
}

static void look(uint32_t at) {
    now_ms += 250;
    lobby_route_look(&costs, now_ms);
    lobby_route_judge(&costs, at, now_ms);
}

static bool may_run(uint32_t at) { return lobby_route_may_run(&costs, at, now_ms); }

static void check_names(void) {
    start(4);
    CHECK(route("GET", "/orders/12") == route("GET", "/orders/7b"));
    CHECK(route("GET", "/orders/12") != route("GET", "/orders/new"));
    CHECK(route("GET", "/orders/12") != route("POST", "/orders/12"));
    CHECK(route("GET", "/orders/12") == route("GET", "/orders/*"));
    CHECK(route("GET", "/a/b") != route("GET", "/ab") && route("GET", "/") != route("GET", "/a"));
    char name[LOBBY_ROUTE_NAME];
    lobby_route_write_name(name, "GET", 3, "/orders/12/items", 16);
    CHECK(strcmp(name, "GET /orders/*/items") == 0);
    char path[300];
    for (int i = 0; i < 300; i++) path[i] = i % 20 ? 'a' : '/';
    lobby_route_write_name(name, "GET", 3, path, sizeof(path));
    CHECK(strlen(name) == LOBBY_ROUTE_NAME - 1);
}

/* A route that takes long, among quick ones. */
static uint32_t learn(uint32_t workers, uint32_t *quick) {
    start(workers);
    *quick = route("GET", "/quick");
    uint32_t slow = route("GET", "/slow");
    for (int i = 0; i < 20; i++) serve(*quick, 20);
    for (int i = 0; i < 20; i++) serve(slow, 30000);
    lobby_route_came(&costs, *quick, now_ms);
    look(slow);
    look(*quick);
    return slow;
}

static void check_share(void) {
    uint32_t quick, slow = learn(8, &quick);
    CHECK(costs.routes[slow].slow && !costs.routes[quick].slow);
    uint32_t share = lobby_route_share(&costs);
    CHECK(share >= 1 && share < 8);
    for (uint32_t i = 0; i < share; i++) {
        CHECK(may_run(slow));
        lobby_route_begins(&costs, slow);
    }
    CHECK(!may_run(slow) && may_run(quick));
    lobby_route_ends(&costs, slow);
    CHECK(may_run(slow));
    lobby_route_begins(&costs, slow);
    now_ms += 61 * 1000; /* and no quick one comes */
    CHECK(may_run(slow));
}

/* Quick requests that keep four workers busy come before every so many looks. */
static void let_quick_come(uint32_t quick, uint32_t slow, int looks, int every) {
    for (int tick = 0; tick < looks; tick++) {
        for (int i = 0; i < 50 && tick % every == 0; i++) lobby_route_came(&costs, quick, now_ms); /* 20 ms in 250 */
        look(slow);
    }
}

/* The more workers quick requests keep busy, the fewer slow ones may have; one at least. Behind a pause that is known
 * within a second. */
static void check_need(void) {
    uint32_t quick, slow = learn(8, &quick), before = lobby_route_share(&costs);
    let_quick_come(quick, slow, 100, 1);
    CHECK(lobby_route_share(&costs) < before && lobby_route_share(&costs) == 1);
    for (int tick = 0; tick < 200; tick++) look(slow);
    CHECK(lobby_route_share(&costs) == before || lobby_route_share(&costs) == before + 1);
    let_quick_come(quick, slow, 4, 1);
    CHECK(lobby_route_share(&costs) == 1);
    let_quick_come(quick, slow, 400, 4); /* one worker on average */
    CHECK(lobby_route_share(&costs) == 5);
}

static uint32_t room(uint32_t at, uint32_t free) {
    uint32_t waiting = 0;
    while (lobby_route_finds_room(&costs, at, waiting, free)) waiting++;
    return waiting;
}

/* Beside those for free workers so many as are done in a millisecond: one at least, and none of long ones. */
static void check_room(void) {
    uint32_t quick, slow = learn(4, &quick), middling = route("GET", "/middling"), new = route("GET", "/new");
    serve(middling, 5);
    CHECK(room(middling, 0) == 1 && room(middling, 3) == 4);
    CHECK(room(slow, 0) == 0 && room(slow, 3) == 3);
    start(4);
    CHECK(room(new, 0) == 4 && room(new, 3) == 7); /* nothing is known */
    lobby_route_took(&costs, new, 100, now_ms);
    costs.workers = 0;
    CHECK(room(new, 0) == 1);
    costs.workers = 4;
    CHECK(room(new, 0) >= 38 && room(new, 0) <= 42); /* logarithms are rounded */
}

static void check_few_workers(void) {
    uint32_t quick, slow = learn(2, &quick);
    lobby_route_begins(&costs, slow);
    lobby_route_begins(&costs, slow);
    CHECK(may_run(slow));
}

/* Requests that hang have no answer yet. */
static void check_hanging(void) {
    start(4);
    uint32_t quick = route("GET", "/quick"), new = route("GET", "/new");
    for (int i = 0; i < 20; i++) serve(quick, 20);
    lobby_route_came(&costs, quick, now_ms);
    for (int i = 0; i < 3; i++) {
        CHECK(may_run(new)); /* nothing is known of it */
        lobby_route_begins(&costs, new);
    }
    CHECK(!may_run(new));
    lobby_route_look(&costs, now_ms += 250);
    CHECK(lobby_route_runs(&costs, new, 1000) && !lobby_route_runs(&costs, new, 100));
    lobby_route_judge(&costs, new, now_ms);
    CHECK(costs.routes[new].slow && costs.slow_running == 3);
    lobby_route_look(&costs, now_ms += 250);
    lobby_route_runs(&costs, quick, 1000); /* one alone of a quick route is an exception */
    lobby_route_judge(&costs, quick, now_ms);
    CHECK(!costs.routes[quick].slow);
    lobby_route_runs(&costs, quick, 1000);
    lobby_route_judge(&costs, quick, now_ms);
    CHECK(costs.routes[quick].slow);
}

/* One answer in fifty that takes long says nothing of the others. */
static void check_exceptions(void) {
    uint32_t quick, slow = learn(4, &quick);
    for (int i = 0; i < 1000; i++) {
        serve(quick, i % 50 == 0 ? 30000 : 20);
        CHECK(!costs.routes[quick].slow && lobby_route_cost(&costs, quick) < 250 * 1000);
    }
    CHECK(costs.routes[slow].slow);
    for (int i = 0; i < 3; i++) serve(quick, 30000);
    CHECK(costs.routes[quick].slow);
}

static void check_forgetting(void) {
    uint32_t quick, slow = learn(4, &quick);
    for (int i = 0; i < 30; i++) serve(slow, 20); /* it is quick again */
    look(slow);
    CHECK(!costs.routes[slow].slow);
    slow = learn(4, &quick);
    now_ms += 40 * 1000;
    look(slow);
    CHECK(!costs.routes[slow].slow && costs.routes[slow].answers == 0);
}

/* Where everything is slow, that is usual; and a server whose requests all take the same has no slow route. */
static void check_all_slow(void) {
    start(4);
    uint32_t quick = route("GET", "/up"), page = route("GET", "/page");
    for (int i = 0; i < 10; i++) serve(page, 1500);
    look(page);
    CHECK(!costs.routes[page].slow);
    for (int i = 0; i < 100; i++) serve(quick, 1);
    look(page);
    CHECK(costs.routes[page].slow);
    for (int i = 0; i < 5000; i++) serve(page, 1500);
    look(page);
    CHECK(!costs.routes[page].slow);
}

/* Pages that take most of a second keep all workers busy beside a health check: that is how they are, until they hang. */
static void check_own_usual(void) {
    start(4);
    uint32_t up = route("GET", "/up"), page = route("GET", "/page");
    for (int i = 0; i < 100; i++) serve(up, 1);
    for (int i = 0; i < 20; i++) serve(page, 900);
    lobby_route_look(&costs, now_ms += 250);
    for (int i = 0; i < 4; i++) {
        CHECK(may_run(page));
        lobby_route_begins(&costs, page);
        CHECK(!lobby_route_runs(&costs, page, 2000));
    }
    lobby_route_judge(&costs, page, now_ms);
    CHECK(!costs.routes[page].slow);
    lobby_route_look(&costs, now_ms += 250);
    for (int i = 0; i < 2; i++) CHECK(lobby_route_runs(&costs, page, 4000));
    lobby_route_judge(&costs, page, now_ms);
    CHECK(costs.routes[page].slow);
}

/* Where the only route becomes slow, nobody else comes for whom workers would be kept. */
static void check_alone(void) {
    start(6);
    uint32_t page = route("GET", "/page");
    for (int i = 0; i < 50; i++) serve(page, 20);
    for (int i = 0; i < 5; i++) serve(page, 5000);
    look(page);
    CHECK(costs.routes[page].slow);
    for (int i = 0; i < 6; i++) {
        CHECK(may_run(page));
        lobby_route_begins(&costs, page);
    }
    uint32_t other = route("GET", "/other");
    for (int i = 0; i < 5; i++) serve(other, 20);
    serve(other, 20);
    CHECK(!may_run(page));
}

/* Counts are right after any history, also where more routes are asked for than there are places. */
static void check_history(uint64_t *random) {
    enum { RUNNING = 500 };
    static uint32_t running[RUNNING];
    uint32_t count = 0;
    start(1 + check_random(random, 20));
    for (int step = 0; step < 50000; step++) {
        char path[20];
        snprintf(path, sizeof(path), "/%c%c%c", 'a' + (char)check_random(random, 26), 'a' + (char)check_random(random, 26),
                 'a' + (char)check_random(random, 3));
        uint32_t at = route("GET", path);
        CHECK(at < LOBBY_ROUTES);
        lobby_route_came(&costs, at, now_ms);
        if (count < RUNNING && check_random(random, 2) && may_run(at)) {
            lobby_route_begins(&costs, at);
            running[count++] = at;
        } else if (count > 0) {
            uint32_t chosen = check_random(random, count);
            lobby_route_took(&costs, running[chosen], (int64_t)check_random(random, 5000000) - 10, now_ms);
            lobby_route_ends(&costs, running[chosen]);
            running[chosen] = running[--count];
        }
        if (check_random(random, 20) == 0) look(check_random(random, LOBBY_ROUTES));
    }
    uint32_t all = 0, slow = 0;
    for (uint32_t i = 0; i < LOBBY_ROUTES; i++) {
        all += costs.routes[i].running;
        if (costs.routes[i].slow) slow += costs.routes[i].running;
    }
    CHECK(all == count && slow == costs.slow_running);
}

int main(int argument_count, char **arguments) {
    uint64_t random = (argument_count > 1 ? strtoull(arguments[1], NULL, 10) : 1) * 2 + 1;
    check_names();
    check_share();
    check_need();
    check_room();
    check_few_workers();
    check_hanging();
    check_exceptions();
    check_forgetting();
    check_own_usual();
    check_alone();
    check_all_slow();
    check_history(&random);
    puts("ok");
    return 0;
}
