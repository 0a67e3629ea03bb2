#ifndef COPPICE_LOBBY_PROCESS_H
#define COPPICE_LOBBY_PROCESS_H

/* What the process of one loop knows, and its successor does not. */

#include "lobby.h"

/* A request that is whole: its head and bytes are in a slot that nobody has yet. */
struct lobby_arrival {
    uint32_t slot, length;
    uint64_t body_length;
    uint32_t flags;
    int file;
    uint64_t file_bytes;
};

/* What is to become of the connection in hand. Wishes that are nearer to the end come later. */
enum lobby_wish_kind {
    LOBBY_NO_WISH,
    LOBBY_READ,          /* there are bytes */
    LOBBY_READ_BUFFERED, /* in its block */
    LOBBY_ARRIVAL,       /* a request that is whole */
    LOBBY_ANSWERED,      /* to the end */
    LOBBY_REFUSAL,       /* an answer of the lobby's own */
    LOBBY_RESET,
    LOBBY_CLOSE
};

struct lobby_wish {
    enum lobby_wish_kind kind;
    enum lobby_end end;            /* LOBBY_ANSWERED: what follows the answer */
    int status;                    /* LOBBY_REFUSAL */
    const char *reason;
    struct lobby_request *request; /* that is refused; NULL: the connection's */
    struct coppice_lobby_slot *arrived; /* its head is here, and there is no struct lobby_request of it; or NULL */
    struct lobby_arrival arrival;  /* LOBBY_ARRIVAL */
};

struct lobby_keeper_silence {
    uint32_t beats;
    int64_t looked_ms, ms;
};

/* Of one process: nothing of it must survive. */
struct lobby_process {
    int64_t now_us, now_ms; /* read once for a batch */
    int64_t next_tick_ms, next_trim_ms, next_uploads_ms;
    struct coppice_answer_ring *rings[COPPICE_LOBBY_SEATS];
    uint64_t ready[COPPICE_LOBBY_SEATS / 64]; /* seats to look at again */
    struct lobby_wish wish;
    bool condemned;          /* some requests are */
    bool forced;             /* bytes are kept beyond the limits: their ring goes away */
    int trims_left;          /* looks for blocks that can be given back to the system */
    uint32_t evicted;        /* the last connection that was looked at for that */
    bool listening;          /* epoll has the listeners */
    int64_t paused_until_ms; /* accept no more until then */
    int listen_error;        /* why it cannot listen or accept, as the log says; 0 since it has accepted */
    bool room_made;          /* stalled seats may go on */
    bool disk_full;          /* the file system of buffer_directory was, when it was asked last */
    struct lobby_keeper_silence keeper_silence;
    int64_t next_renewal_ms; /* of a keeper that could not be made: not before then */
    bool readers_checked;    /* in this tick nobody else is to be cut off */
    bool stuck;              /* none of the backlog may run, and nothing has changed since that was looked at */
    bool queue_spoilt;       /* a cell was found overwritten */
    uint32_t pushed;         /* requests that nobody was woken for yet */
    uint32_t sparing;        /* those of them that are to spare the heir */
    int64_t missing_file_due_ms, missing_room_due_ms; /* the next line about either is logged no earlier */
};

/* A block that was given back is idle at the second look. */
enum { LOBBY_TRIMS = 3 };

extern struct lobby_process lobby_process;

#endif
