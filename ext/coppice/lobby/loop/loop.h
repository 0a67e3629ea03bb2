#ifndef COPPICE_LOBBY_LOOP_H
#define COPPICE_LOBBY_LOOP_H

/* The loop: turn by turn it takes one connection in hand after the other, and sees to what is wished for it. */

#include "lobby/client/client.h"
#include "lobby/worker/worker.h"

/* loop.c: serves the lobby that is its context, until the end; the exit status. */
int coppice_lobby_loop(void *context);

/* clock.c: reads it once for a batch. */
void lobby_read_clock(const struct coppice_lobby *lobby);

/* hand.c: nothing is done with a connection before it is in hand: the successor of a loop that dies then closes it. */
struct lobby_connection *lobby_take_in_hand(struct coppice_lobby *lobby, uint32_t index);
/* Sees to what is wished for it. */
void lobby_settle(struct coppice_lobby *lobby);
/* The same, and it is in hand no more. */
void lobby_let_go(struct coppice_lobby *lobby);
/* Sees to the requests whose workers are lost. */
void lobby_settle_condemned(struct coppice_lobby *lobby);

/* takeover.c: makes free lists, timers and accounts again from the records, of a fresh lobby as of one whose loop died.
 * */
void lobby_take_over(struct coppice_lobby *lobby);

/* strays.c */
void lobby_close_strays(const struct coppice_lobby *lobby);

/* keeper_watch.c */
void lobby_watch_keeper(const struct coppice_lobby *lobby);
void lobby_keeper_died(struct coppice_lobby *lobby);
void lobby_check_keeper(struct coppice_lobby *lobby);

/* channel.c: reads what the monitor has sent, until there is no more. */
void lobby_channel_read(struct coppice_lobby *lobby);

/* events.c */
void lobby_handle_event(struct coppice_lobby *lobby, uint64_t tag, uint32_t events);

/* listeners.c */
bool lobby_accept(struct coppice_lobby *lobby, uint32_t listener);
void lobby_close_listeners(struct coppice_lobby *lobby);
void lobby_listen(struct coppice_lobby *lobby);

/* deliveries.c: what workers have answered goes to their clients. */
void lobby_read_answers(struct coppice_lobby *lobby);
/* Its worker is gone: what it has published counts. */
void lobby_lose_seat(struct coppice_lobby *lobby, uint32_t number, bool retry, bool timed_out);
/* Its worker has closed the socket. */
void lobby_seat_left(struct coppice_lobby *lobby, uint32_t number);
/* The monitor is gone: finds the workers that have left before. */
void lobby_seats_without_monitor(struct coppice_lobby *lobby);

/* uploads.c */
bool lobby_uploads_due(const struct coppice_lobby *lobby);
void lobby_read_uploads(struct coppice_lobby *lobby);

/* slow_readers.c: while there is no room for more answers, cuts readers that keep others waiting. */
void lobby_cut_slow_readers(struct coppice_lobby *lobby);

/* timeouts.c */
void lobby_expire(struct coppice_lobby *lobby);
void lobby_tick(struct coppice_lobby *lobby);
int lobby_wait_ms(const struct coppice_lobby *lobby);

#endif
