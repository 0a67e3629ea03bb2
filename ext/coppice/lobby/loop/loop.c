/* The loop: waits for events of clients, workers and the monitor, and handles them in batches. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "keeper.h"
#include "loop.h"

enum { EVENTS = 256 };

/* Workers write to the eventfd only while the lobby says that it sleeps. One that fell asleep before that was not woken
 * for the backlog. */
static bool falls_asleep(struct coppice_lobby *lobby) {
    bool wants_workers = lobby_wants_workers(lobby);
    if (!coppice_request_queue_lobby_sleeps(lobby->queue, lobby->seat_words, wants_workers)) return false;
    return !wants_workers || !lobby_may_hand_out(lobby);
}

static int wait_for_events(struct coppice_lobby *lobby, struct epoll_event *events) {
    int wait_ms = lobby_wait_ms(lobby);
    lobby_count_to(lobby->counters, LOBBY_full, lobby_full(lobby)); /* first: it forgets requests that were taken back */
    lobby_count_to(lobby->counters, LOBBY_waiting, lobby_waiting(lobby));
    bool asleep = wait_ms != 0 && falls_asleep(lobby);
    int count = epoll_wait(lobby->epoll_fd, events, EVENTS, asleep ? wait_ms : 0);
    if (wait_ms != 0) coppice_request_queue_lobby_wakes(lobby->queue);
    lobby_read_clock(lobby);
    return count;
}

static void begin(struct coppice_lobby *lobby) {
    memset(&lobby_process, 0, sizeof(lobby_process)); /* this may be a copy of an earlier loop's memory */
    lobby_read_clock(lobby);
    bool successor = lobby->loops_started++ > 0;
    lobby_take_over(lobby);
    if (successor) lobby_count(lobby, LOBBY_takeovers, 1);
    lobby_watch(lobby, lobby->channel_fd, LOBBY_CHANNEL, 0, EPOLLIN);
    lobby_watch(lobby, lobby->event_fd, LOBBY_EVENT, 0, EPOLLIN | EPOLLET);
    lobby_watch_keeper(lobby);
    if (lobby->accepting) lobby_listen(lobby);
    lobby_tell(lobby->channel_fd, "ready");
}

static bool finished(const struct coppice_lobby *lobby) {
    if (lobby->stopping) return true;
    if (!lobby->draining || lobby->open_connections > 0) return false;
    lobby_tell(lobby->channel_fd, "drained");
    return true;
}

int coppice_lobby_loop(void *context) {
    struct coppice_lobby *lobby = context;
    struct epoll_event events[EVENTS];
    begin(lobby);
    while (!finished(lobby)) {
        int count = wait_for_events(lobby, events);
        lobby_check_queue(lobby);
        for (int i = 0; i < count; i++) lobby_handle_event(lobby, events[i].data.u64, events[i].events);
        lobby_settle_condemned(lobby);
        lobby_wake_workers(lobby);
        lobby_read_answers(lobby);
        lobby_read_uploads(lobby);
        lobby_wake_workers(lobby);
        lobby_expire(lobby);
        lobby_tick(lobby);
        lobby_cut_slow_readers(lobby);
        lobby_check_keeper(lobby);
        lobby_flush_access_log(lobby);
        lobby_loop_settled();
    }
    lobby_flush_access_log(lobby);
    return 0;
}
