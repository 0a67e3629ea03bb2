#ifndef COPPICE_FORK_WITNESS_H
#define COPPICE_FORK_WITNESS_H

#include <stdbool.h>

/*
 * A page of memory that shows whether there are copies of this process of which nothing was noted: a process that was
 * forked without a note shares the page until it exits or calls exec. Both processes of a noted fork renew it, so they
 * no longer share it.
 */

/* From now on the page is this process's alone. Returns whether it is: it must be possible to lock it in memory. */
bool coppice_fork_witness_renew(void);

/* False once the kernel has forbidden this process, or one that it is a copy of, to lock any page. */
bool coppice_fork_witness_is_possible(void);

/* In a process that was forked without a note: leaves the page as it is, for the process that it is a copy of. */
void coppice_fork_witness_leave(void);

/* Whether certainly no other process shares it. */
bool coppice_fork_witness_is_alone(void);

#endif
