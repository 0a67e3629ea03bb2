#ifndef COPPICE_FORK_WITNESS_H
#define COPPICE_FORK_WITNESS_H

#include <stdbool.h>

/*
 * A page of memory that tells of forks which nobody has told of: while a process that came of such a fork lives, and has
 * not become another program, it shares the page. Who makes a fork that he tells of renews the page after it, in both
 * processes.
 */

/* From now on the page is this process's alone. Returns whether it is: there may be no memory for it. */
bool coppice_fork_witness_renew(void);

/* Whether no other process shares it. */
bool coppice_fork_witness_is_alone(void);

#endif
