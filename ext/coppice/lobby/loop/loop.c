/* The loop: waits for events of clients, workers and the monitor, and handles them in batches. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "shared/socket_io.h"
#include "keeper.h"
#include "lobby/parts.h"

enum { EVENTS = 256, KEEPER_INDEX = 0, KEEPER_SILENCE_MS = 10 * 1000, LOOK_MS = 2000, RENEW_MS = 3000 };

struct lobby_process lobby_process;

/* Also tells the monitor that this loop runs. */
void lobby_read_clock(const struct coppice_lobby *lobby) {
    lobby_process.now_us = coppice_monotonic_us();
    lobby_process.now_ms = lobby_process.now_us / 1000;
    if (lobby->seen_ms) atomic_store_explicit(lobby->seen_ms, lobby_process.now_ms, memory_order_relaxed);
}

/* Workers write to the eventfd only while the lobby says that it sleeps. */
static int wait_for_events(struct coppice_lobby *lobby, struct epoll_event *events) {
    int wait_ms = lobby_wait_ms(lobby);
    lobby_count_to(lobby->counters, LOBBY_full, lobby_full(lobby)); /* first: it forgets requests that were taken back */
    lobby_count_to(lobby->counters, LOBBY_waiting, coppice_request_queue_waiting(lobby->queue));
    if (wait_ms != 0 && !coppice_request_queue_lobby_sleeps(lobby->queue)) wait_ms = 0;
    int count = epoll_wait(lobby->epoll_fd, events, EVENTS, wait_ms);
    if (wait_ms != 0) coppice_request_queue_lobby_wakes(lobby->queue);
    lobby_read_clock(lobby);
    return count;
}

static void watch_keeper(const struct coppice_lobby *lobby) {
    if (lobby_keeper_fd() >= 0) lobby_watch(lobby, lobby_keeper_fd(), LOBBY_KEEPER, KEEPER_INDEX, EPOLLIN);
}

void lobby_keeper_died(struct coppice_lobby *lobby) {
    lobby_process.next_renewal_ms = lobby_process.now_ms + RENEW_MS;
    lobby_keeper_renew();
    watch_keeper(lobby);
}

/* There may have been no process or no descriptor left for it. */
static void replace_missing_keeper(struct coppice_lobby *lobby) {
    if (lobby_keeper_missing() && lobby_process.now_ms >= lobby_process.next_renewal_ms) lobby_keeper_died(lobby);
}

/* A keeper that stands still could not make the next loop. The monitor kills it, and its death is noticed like any. Only
 * time in which this loop has run itself counts: the whole machine may have stood still. */
static void check_keeper(const struct coppice_lobby *lobby) {
    struct lobby_keeper_silence *silence = &lobby_process.keeper_silence;
    int64_t passed_ms = lobby_process.now_ms - silence->looked_ms;
    if (lobby_keeper_fd() < 0 || passed_ms == 0) return;
    bool same = lobby_keeper_beats() == silence->beats;
    silence->ms = same ? silence->ms + (passed_ms < LOOK_MS ? passed_ms : LOOK_MS) : 0;
    silence->beats = lobby_keeper_beats();
    silence->looked_ms = lobby_process.now_ms;
    if (silence->ms < KEEPER_SILENCE_MS) return;
    silence->ms = 0;
    lobby_tell(lobby->channel_fd, "hanging keeper");
}

static void begin(struct coppice_lobby *lobby) {
    memset(&lobby_process, 0, sizeof(lobby_process)); /* this may be a copy of an earlier loop's memory */
    lobby_read_clock(lobby);
    bool successor = lobby->loops_started++ > 0;
    lobby_rebuild(lobby);
    if (successor) lobby_count(lobby, LOBBY_takeovers, 1);
    lobby_watch(lobby, lobby->channel_fd, LOBBY_CHANNEL, 0, EPOLLIN);
    lobby_watch(lobby, lobby->event_fd, LOBBY_EVENT, 0, EPOLLIN | EPOLLET);
    watch_keeper(lobby);
    if (lobby->accepting) lobby_listen(lobby);
    lobby_tell(lobby->channel_fd, "ready");
}

static bool finished(const struct coppice_lobby *lobby) {
    if (lobby->stopping) return true;
    if (!lobby->draining || lobby->open_connections > 0) return false;
    lobby_tell(lobby->channel_fd, "drained");
    return true;
}

int coppice_lobby_loop(struct coppice_lobby *lobby) {
    struct epoll_event events[EVENTS];
    begin(lobby);
    while (!finished(lobby)) {
        int count = wait_for_events(lobby, events);
        lobby_check_queue(lobby);
        for (int i = 0; i < count; i++) lobby_handle_event(lobby, events[i].data.u64, events[i].events);
        lobby_wake_workers(lobby);
        lobby_read_answers(lobby);
        lobby_read_uploads(lobby);
        lobby_wake_workers(lobby);
        lobby_expire(lobby);
        lobby_tick(lobby);
        lobby_cut_slow_readers(lobby);
        replace_missing_keeper(lobby);
        check_keeper(lobby);
        lobby_flush_access_log(lobby);
        lobby_loop_settled();
    }
    lobby_flush_access_log(lobby);
    return 0;
}
