#ifndef COPPICE_LOBBY_TIMER_WHEEL_H
#define COPPICE_LOBBY_TIMER_WHEEL_H

/*
 * One timer for each record of an array, such as a connection: in pure C, without memory of its own and without system
 * calls. Timers are coarse, and never early: they fire up to COPPICE_TIMER_TICK_MS late.
 *
 * Most timers are armed again or cancelled before they fire, so this costs one store: the timer stays linked where it
 * is, and moves once its old tick has come. What counts is `due` alone. From it all links are made again when a process
 * died while it changed them.
 */

#include <stdint.h>

enum { COPPICE_TIMER_TICK_MS = 128, COPPICE_TIMER_BUCKETS = 512 };

#define COPPICE_TIMER_NONE UINT32_MAX

/* Lies in a record. Zeros are a timer that is not armed. */
struct coppice_timer {
    uint32_t due;    /* a tick; 0: not armed */
    uint32_t linked; /* the tick whose bucket it is in; 0: in none */
    uint32_t next;   /* of the same bucket: numbers of records */
    uint32_t previous;
};

struct coppice_timer_wheel {
    struct coppice_timer *timers; /* the timer of record 0 */
    uint32_t stride;              /* bytes from one record to the next */
    uint32_t count;               /* of records that may be armed; the others are not touched */
    uint32_t tick; /* buckets of earlier ticks are empty; the last one is COPPICE_TIMER_BUCKETS - 1 later */
    uint32_t now;  /* the tick up to which timers fire */
    uint64_t filled[COPPICE_TIMER_BUCKETS / 64];
    uint32_t buckets[COPPICE_TIMER_BUCKETS];
};

/* Also makes all links again from timers that are armed already, in the first `count` records: arming another one adds
 * to these. Times are milliseconds of the monotonic clock. */
void coppice_timer_wheel_init(struct coppice_timer_wheel *wheel, struct coppice_timer *timers, uint32_t stride,
                              uint32_t count, int64_t now_ms);

/* Arms the timer of this record, in place of what it was armed for. A time in the past is the next tick. */
void coppice_timer_wheel_arm(struct coppice_timer_wheel *wheel, uint32_t index, int64_t due_ms);
void coppice_timer_wheel_cancel(struct coppice_timer_wheel *wheel, uint32_t index);

/* The next record whose timer has fired, or COPPICE_TIMER_NONE; the timer is not armed any more. To be called until it
 * answers COPPICE_TIMER_NONE; timers may be armed and cancelled meanwhile. */
uint32_t coppice_timer_wheel_expire(struct coppice_timer_wheel *wheel, int64_t now_ms);

/* Milliseconds until expire has something to do, which may be less than until a timer fires. -1: no timer. */
int coppice_timer_wheel_wait_ms(const struct coppice_timer_wheel *wheel, int64_t now_ms);

#endif
