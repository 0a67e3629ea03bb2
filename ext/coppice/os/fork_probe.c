/*
 * Coppice::OS.probe_fork, for the caller of a fork or spawn of Ruby's: where the kernel has no process left to give
 * (RLIMIT_NPROC, pids.max of a cgroup), these try again each second without end, and raise nothing. A monitor that waits
 * in there reaps no child, and its dead children may be what fills the limit.
 *
 * The probe asks the kernel for a process that shares all memory and ends at once. The caller's code does not notice
 * it: it has no exit signal, no signal reaches it, and wait(2) for any child passes it over. /proc lists it briefly.
 */
#include "coppice_ext.h"

#include <ruby.h>

#ifdef COPPICE_LINUX

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

enum { STACK_BYTES = 4096 };

static int end_at_once(void *argument) {
    (void)argument;
    return 0;
}

/* 0, or EAGAIN. What else the kernel may say, a fork of the caller's says as well. */
static int probe(void) {
    _Alignas(16) char stack[STACK_BYTES];
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    /* The caller stands still until the process has ended, as with vfork(2). */
    int pid = clone(end_at_once, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, NULL);
    int saved = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (pid < 0) return saved == EAGAIN ? EAGAIN : 0;
    while (waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR) continue;
    return 0;
}

#else

static int probe(void) {
    return 0;
}

#endif

/* Raises Errno::EAGAIN when the kernel has no process left to give. */
static VALUE os_probe_fork(VALUE self) {
    (void)self;
    int failure = probe();
    if (failure != 0) rb_syserr_fail(failure, "fork");
    return Qnil;
}

void Init_coppice_fork_probe(VALUE coppice) {
    VALUE os = rb_define_module_under(coppice, "OS");
    rb_define_module_function(os, "probe_fork", os_probe_fork, 0);
}
