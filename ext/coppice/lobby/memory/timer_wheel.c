#include "timer_wheel.h"

#include <limits.h>
#include <string.h>

enum { WORDS = COPPICE_TIMER_BUCKETS / 64 };

static struct coppice_timer *timer_at(const struct coppice_timer_wheel *wheel, uint32_t index) {
    return (struct coppice_timer *)(void *)((char *)wheel->timers + (size_t)index * wheel->stride);
}

static uint32_t bucket_of(uint32_t tick) {
    return tick % COPPICE_TIMER_BUCKETS;
}

static void link_timer(struct coppice_timer_wheel *wheel, uint32_t index) {
    struct coppice_timer *timer = timer_at(wheel, index);
    uint32_t tick = timer->due > wheel->now ? timer->due : wheel->now + 1;
    uint32_t last = wheel->tick + COPPICE_TIMER_BUCKETS - 1;
    if (tick > last) tick = last; /* from there it moves on */

    uint32_t bucket = bucket_of(tick);
    timer->linked = tick;
    timer->previous = COPPICE_TIMER_NONE;
    timer->next = wheel->buckets[bucket];
    if (timer->next != COPPICE_TIMER_NONE) timer_at(wheel, timer->next)->previous = index;
    wheel->buckets[bucket] = index;
    wheel->filled[bucket / 64] |= UINT64_C(1) << (bucket % 64);
}

static void unlink_timer(struct coppice_timer_wheel *wheel, uint32_t index) {
    struct coppice_timer *timer = timer_at(wheel, index);
    uint32_t bucket = bucket_of(timer->linked);
    if (timer->next != COPPICE_TIMER_NONE) timer_at(wheel, timer->next)->previous = timer->previous;
    if (timer->previous != COPPICE_TIMER_NONE) {
        timer_at(wheel, timer->previous)->next = timer->next;
    } else {
        wheel->buckets[bucket] = timer->next;
        if (timer->next == COPPICE_TIMER_NONE) wheel->filled[bucket / 64] &= ~(UINT64_C(1) << (bucket % 64));
    }
    timer->linked = 0;
}

void coppice_timer_wheel_init(struct coppice_timer_wheel *wheel, struct coppice_timer *timers, uint32_t stride,
                              uint32_t count, int64_t now_ms) {
    *wheel = (struct coppice_timer_wheel){.timers = timers, .stride = stride, .count = count};
    wheel->now = (uint32_t)(now_ms / COPPICE_TIMER_TICK_MS);
    wheel->tick = wheel->now + 1;
    memset(wheel->buckets, 0xff, sizeof(wheel->buckets));
    for (uint32_t index = 0; index < count; index++) {
        timer_at(wheel, index)->linked = 0;
        if (timer_at(wheel, index)->due) link_timer(wheel, index);
    }
}

void coppice_timer_wheel_arm(struct coppice_timer_wheel *wheel, uint32_t index, int64_t due_ms) {
    struct coppice_timer *timer = timer_at(wheel, index);
    int64_t due = due_ms > 0 ? (due_ms + COPPICE_TIMER_TICK_MS - 1) / COPPICE_TIMER_TICK_MS : 0;
    if (due <= wheel->now) due = (int64_t)wheel->now + 1;
    if (wheel->count <= index) wheel->count = index + 1;
    timer->due = due < UINT32_MAX ? (uint32_t)due : UINT32_MAX;
    if (timer->linked) {
        if (timer->due >= timer->linked) return;
        unlink_timer(wheel, index);
    }
    link_timer(wheel, index);
}

void coppice_timer_wheel_cancel(struct coppice_timer_wheel *wheel, uint32_t index) {
    timer_at(wheel, index)->due = 0;
}

/* The first tick from wheel->tick on whose bucket is not empty; 0: all are empty. */
static uint32_t next_filled(const struct coppice_timer_wheel *wheel) {
    uint32_t start = bucket_of(wheel->tick);
    for (uint32_t i = 0; i <= WORDS; i++) { /* the first word is looked at twice: its upper part, its lower part */
        uint32_t word = (start / 64 + i) % WORDS;
        uint64_t bits = wheel->filled[word];
        if (i == 0) bits &= UINT64_MAX << (start % 64);
        if (!bits) continue;
        uint32_t bucket = word * 64 + (uint32_t)__builtin_ctzll(bits);
        return wheel->tick + (bucket - start) % COPPICE_TIMER_BUCKETS;
    }
    return 0;
}

/* After a pause of more than a turn, of a machine that was stopped, all timers are linked again around the present. Else
 * one that is armed now would be linked where the wheel stood then, and move on by a turn at a time. */
static void advance(struct coppice_timer_wheel *wheel, int64_t now_ms) {
    uint32_t now = (uint32_t)(now_ms / COPPICE_TIMER_TICK_MS);
    if (now <= wheel->now) return;
    if (now - wheel->tick >= COPPICE_TIMER_BUCKETS && now > wheel->tick) {
        coppice_timer_wheel_init(wheel, wheel->timers, wheel->stride, wheel->count, now_ms - COPPICE_TIMER_TICK_MS);
    }
    wheel->now = now;
}

uint32_t coppice_timer_wheel_expire(struct coppice_timer_wheel *wheel, int64_t now_ms) {
    advance(wheel, now_ms);
    while (wheel->tick <= wheel->now) {
        uint32_t index = wheel->buckets[bucket_of(wheel->tick)];
        if (index == COPPICE_TIMER_NONE) {
            uint32_t filled = next_filled(wheel);
            wheel->tick = filled && filled <= wheel->now ? filled : wheel->now + 1;
            continue;
        }
        struct coppice_timer *timer = timer_at(wheel, index);
        unlink_timer(wheel, index);
        if (timer->due > wheel->now) {
            link_timer(wheel, index);
        } else if (timer->due) {
            timer->due = 0;
            return index;
        }
    }
    return COPPICE_TIMER_NONE;
}

int coppice_timer_wheel_wait_ms(const struct coppice_timer_wheel *wheel, int64_t now_ms) {
    uint32_t tick = next_filled(wheel);
    if (!tick) return -1;
    int64_t wait = (int64_t)tick * COPPICE_TIMER_TICK_MS - now_ms;
    return wait < 0 ? 0 : wait < INT_MAX ? (int)wait : INT_MAX;
}
