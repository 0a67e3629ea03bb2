#ifndef COPPICE_LOBBY_KEEPER_H
#define COPPICE_LOBBY_KEEPER_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

/* A C library may be older than the kernel. */
#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* How each makes the other. */
#define LOBBY_CLONE_FLAGS (CLONE_FILES | CLONE_PARENT | CLONE_PIDFD | SIGCHLD)

/*
 * The keeper and the loop: two processes that share one descriptor table, both children of the monitor. The loop serves.
 * The keeper only waits for the loop's end, and then makes the next loop, which finds all descriptors open, and in
 * shared memory all that the dead one knew. When the keeper ends, the loop makes the next keeper.
 */

/* Becomes the keeper. Calls `loop` with `context` in each process that it makes; each tells the monitor "registered ROLE
 * PID" on the channel. Answers the exit status once a loop has returned: then the keeper's work is done as well. Where
 * the system cannot do this, it calls `loop` in this process. */
int lobby_keep(int channel_fd, int (*loop)(void *context), void *context);

/* For titles in ps: the arguments of main. */
void lobby_title_begin(char **argv);

/* Of the loop. A descriptor that can be read once the keeper is dead, or -1 without a keeper. */
int lobby_keeper_fd(void);
/* The keeper is dead: makes the next one, which has another descriptor. Where that fails, it is missing. */
void lobby_keeper_renew(void);
/* Whether there is no keeper, though this system can have one. */
bool lobby_keeper_missing(void);
/* Grows every two seconds as long as the keeper runs. */
uint32_t lobby_keeper_beats(void);
/* The loop has come so far that whatever kills it now is not its start. Without this the keeper makes no more than
 * LOBBY_FAILURES loops in a row: what they find in memory is spoilt, and the monitor makes a new lobby. */
void lobby_loop_settled(void);

enum { LOBBY_FAILURES = 12, LOBBY_SPOILT_STATUS = 70 };

#endif
