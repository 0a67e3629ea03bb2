#ifndef COPPICE_FD_WAIT_H
#define COPPICE_FD_WAIT_H

/* Waiting without Ruby's lock. Ruby's interrupts are served meanwhile, so that one may raise. */

#include <stdbool.h>
#include <stdint.h>

/* Until fd is ready for `events` (POLLIN, POLLOUT) or broken; false when the deadline passed first. */
bool coppice_wait_for_fd(int fd, short events, int64_t deadline_ms);

#endif
