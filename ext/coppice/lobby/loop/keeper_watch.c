/* The loop's look at its keeper. */
#include <sys/epoll.h>

#include "keeper.h"
#include "loop.h"

enum { KEEPER_INDEX = 0, KEEPER_SILENCE_MS = 10 * 1000, LOOK_MS = 2000, RENEW_MS = 3000 };

void lobby_watch_keeper(const struct coppice_lobby *lobby) {
    if (lobby_keeper_fd() >= 0) lobby_watch(lobby, lobby_keeper_fd(), LOBBY_KEEPER, KEEPER_INDEX, EPOLLIN);
}

void lobby_keeper_died(struct coppice_lobby *lobby) {
    lobby_process.next_renewal_ms = lobby_process.now_ms + RENEW_MS;
    lobby_keeper_renew();
    lobby_watch_keeper(lobby);
}

/* A keeper that stands still could not make the next loop. The monitor kills it, and its death is noticed like any. Only
 * time in which this loop has run itself counts: the whole machine may have stood still. */
static void look_for_beats(const struct coppice_lobby *lobby) {
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

void lobby_check_keeper(struct coppice_lobby *lobby) {
    /* There may have been no process or no descriptor left for it. */
    if (lobby_keeper_missing() && lobby_process.now_ms >= lobby_process.next_renewal_ms) lobby_keeper_died(lobby);
    look_for_beats(lobby);
}
