/* timer_wheel_driver SEED: a random history of timers, compared with a plain list of times. */

#include <string.h>

#include "check.h"
#include "lobby/memory/timer_wheel.h"

enum { RECORDS = 300, STEPS = 20000 };

struct record {
    char before[20];
    struct coppice_timer timer;
    char after[8];
};

static struct record records[RECORDS];
static int64_t expected[RECORDS]; /* the tick of each; 0: not armed */
static struct coppice_timer_wheel wheel;
static int64_t now_ms;

static void start(uint32_t count) {
    coppice_timer_wheel_init(&wheel, &records[0].timer, sizeof(struct record), count, now_ms);
}

static void arm(uint32_t index, int64_t delay_ms) {
    int64_t due_ms = now_ms + delay_ms;
    int64_t tick = (due_ms + COPPICE_TIMER_TICK_MS - 1) / COPPICE_TIMER_TICK_MS;
    coppice_timer_wheel_arm(&wheel, index, due_ms);
    expected[index] = tick > wheel.now ? tick : wheel.now + 1;
}

static void expire(uint64_t *random) {
    int64_t tick = now_ms / COPPICE_TIMER_TICK_MS;
    uint32_t index;
    while ((index = coppice_timer_wheel_expire(&wheel, now_ms)) != COPPICE_TIMER_NONE) {
        CHECK(index < RECORDS && expected[index] && expected[index] <= tick && records[index].timer.due == 0);
        expected[index] = 0;
        if (check_random(random, 3) == 0) arm(index, (int64_t)check_random(random, 1000) - 500);
    }
    for (index = 0; index < RECORDS; index++) CHECK(!expected[index] || expected[index] > tick);
}

/* Nothing fires before the wait is over, and without timers there is no wait. */
static void check_wait(void) {
    int wait = coppice_timer_wheel_wait_ms(&wheel, now_ms);
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < RECORDS; i++) {
        if (expected[i] && expected[i] < first) first = expected[i];
    }
    if (first == INT64_MAX) return;
    CHECK(wait >= 0 && now_ms + wait <= first * COPPICE_TIMER_TICK_MS);
}

static void check_empty_wheel(void) {
    memset(records, 0, sizeof(records));
    start(0);
    CHECK(coppice_timer_wheel_wait_ms(&wheel, now_ms) == -1);
    CHECK(coppice_timer_wheel_expire(&wheel, now_ms + 1000000) == COPPICE_TIMER_NONE);
    start(0);
    coppice_timer_wheel_arm(&wheel, 0, now_ms + 10);
    coppice_timer_wheel_cancel(&wheel, 0);
    CHECK(coppice_timer_wheel_expire(&wheel, now_ms + 1000) == COPPICE_TIMER_NONE);
    CHECK(coppice_timer_wheel_wait_ms(&wheel, now_ms + 1000) == -1);
}

/* However long the machine was stopped, one turn of the wheel leads from the first timer that fires to the present. */
static void check_jump(int64_t jump_ms) {
    memset(records, 0, sizeof(records));
    memset(expected, 0, sizeof(expected));
    start(0);
    for (uint32_t i = 0; i < RECORDS; i++) arm(i, i % 2 ? 30000 : 2 * jump_ms);
    now_ms += jump_ms;
    for (uint32_t fired = 0; fired < RECORDS / 2; fired++) {
        uint32_t index = coppice_timer_wheel_expire(&wheel, now_ms);
        CHECK(index % 2 == 1 && wheel.now - wheel.tick < COPPICE_TIMER_BUCKETS);
        expected[index] = 0;
        arm(index, 500);
    }
    CHECK(coppice_timer_wheel_expire(&wheel, now_ms) == COPPICE_TIMER_NONE);
    check_wait();
    now_ms += jump_ms + COPPICE_TIMER_TICK_MS;
    for (uint32_t fired = 0; fired < RECORDS; fired++) {
        CHECK(coppice_timer_wheel_expire(&wheel, now_ms) != COPPICE_TIMER_NONE);
    }
    memset(expected, 0, sizeof(expected));
}

int main(int count, char **arguments) {
    uint64_t random = (count > 1 ? strtoull(arguments[1], NULL, 10) : 1) * 2 + 1;
    now_ms = check_random(&random, 1000000);
    check_empty_wheel();
    check_jump(INT64_C(24) * 60 * 60 * 1000);
    check_jump(INT64_C(365) * 24 * 60 * 60 * 1000);
    memset(records, 0, sizeof(records));
    start(0);
    for (int step = 0; step < STEPS; step++) {
        uint32_t index = check_random(&random, RECORDS);
        switch (check_random(&random, 40)) {
        case 0: /* a process died while it linked: links are waste, due is right */
            memset(wheel.buckets, (int)check_random(&random, 256), sizeof(wheel.buckets));
            for (uint32_t i = 0; i < RECORDS; i++) records[i].timer.next = records[i].timer.linked = i * 7;
            start(RECORDS);
            for (uint32_t i = 0; i < RECORDS; i++) {
                if (expected[i] && expected[i] <= wheel.now) expected[i] = wheel.now + 1;
            }
            break;
        case 1: case 2: case 3: case 4: case 5: case 6: case 7: case 8:
            now_ms += check_random(&random, 300);
            expire(&random);
            break;
        case 9:
            now_ms += check_random(&random, 200000);
            expire(&random);
            break;
        case 10: case 11: case 12: case 13: case 14: case 15: case 16:
            coppice_timer_wheel_cancel(&wheel, index);
            expected[index] = 0;
            break;
        default:
            arm(index, (int64_t)check_random(&random, index % 10 ? 30000 : 300000) - 50);
        }
        check_wait();
    }
    puts("ok");
    return EXIT_SUCCESS;
}
