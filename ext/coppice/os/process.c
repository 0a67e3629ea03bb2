/*
 * Coppice::OS, the system calls that Ruby does not offer: becoming a subreaper (orphaned descendants become our
 * children, prctl(2)), waiting for one child with a time limit (pidfd_open(2)), the peak memory of a child that has
 * exited (waitid(2)), files in memory (memfd_create(2)), and counters that wake who waits for them (eventfd(2)). A
 * system without these calls has none of the functions: it serves in one process.
 */
#include "coppice_ext.h"
#include "free_memory.h"

#include <sys/time.h>

#ifdef COPPICE_LINUX

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <ruby.h>
#include <ruby/thread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct exit_wait {
    int pid_fd;
    int timeout_ms;
    int ready;
    int saved_errno;
};

static VALUE os_become_subreaper(VALUE self) {
    (void)self;
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? Qtrue : Qfalse;
}

/* subreaper? -> whether this process is one. Forks do not inherit it. */
static VALUE os_subreaper_p(VALUE self) {
    (void)self;
    int subreaper = 0;
    if (prctl(PR_GET_CHILD_SUBREAPER, &subreaper, 0, 0, 0) < 0) rb_sys_fail("prctl");
    return subreaper ? Qtrue : Qfalse;
}

/* subreaper = whether this process is one from now on. */
static VALUE os_set_subreaper(VALUE self, VALUE subreaper) {
    (void)self;
    if (prctl(PR_SET_CHILD_SUBREAPER, RTEST(subreaper) ? 1 : 0, 0, 0, 0) < 0) rb_sys_fail("prctl");
    return subreaper;
}

/* The signal that this process gets when the thread that spawned it ends; 0 for none. Forks do not inherit it. */
static VALUE os_parent_death_signal(VALUE self, VALUE number) {
    (void)self;
    if (prctl(PR_SET_PDEATHSIG, NUM2INT(number), 0, 0, 0) < 0) rb_sys_fail("prctl");
    return Qnil;
}

static void *os_wait_exit_nogvl(void *pointer) {
    struct exit_wait *wait = pointer;
    struct pollfd poll_fd = {.fd = wait->pid_fd, .events = POLLIN};
    wait->ready = poll(&poll_fd, 1, wait->timeout_ms);
    wait->saved_errno = errno;
    return NULL;
}

#ifndef SYS_pidfd_open /* a C library that is older than the kernel; the number is the same on each architecture */
#define SYS_pidfd_open 434
#endif

/*
 * Waits until the process has exited, without reaping it: true when it has, false after the timeout or a signal, nil
 * where there is no pidfd (an old kernel, a sandbox that denies it, no descriptor left). ESRCH is raised for a process
 * that somebody has reaped.
 */
static VALUE os_wait_exit(VALUE self, VALUE rb_pid, VALUE rb_timeout_ms) {
    (void)self;
    int64_t timeout_ms = NUM2LL(rb_timeout_ms);
    struct exit_wait wait = {.timeout_ms = timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms};
    wait.pid_fd = (int)syscall(SYS_pidfd_open, NUM2PIDT(rb_pid), 0);
    if (wait.pid_fd < 0) {
        if (errno == ESRCH) rb_syserr_fail(ESRCH, "pidfd_open");
        return Qnil;
    }
    rb_thread_call_without_gvl2(os_wait_exit_nogvl, &wait, RUBY_UBF_IO, NULL); /* raises nothing before the close */
    close(wait.pid_fd);
    rb_thread_check_ints();
    if (wait.ready < 0 && wait.saved_errno != EINTR) rb_syserr_fail(wait.saved_errno, "poll");
    return wait.ready > 0 ? Qtrue : Qfalse;
}

static int64_t microseconds(struct timeval time) {
    return (int64_t)time.tv_sec * 1000000 + time.tv_usec;
}

/*
 * exited_child(pid = nil) -> [pid, peak KiB, CPU time in us] of that child, or of any, once it has exited; else nil.
 * Does not reap it. The peak is the most memory that the child, or a program that it had waited for, ever had resident;
 * the CPU time is that of all of them. Only the kernel's own waitid(2) tells them without reaping; the C library's
 * wrapper drops them.
 */
static VALUE os_exited_child(int argc, VALUE *argv, VALUE self) {
    (void)self;
    VALUE rb_pid;
    rb_scan_args(argc, argv, "01", &rb_pid);
    siginfo_t info = {0};
    struct rusage usage;
    idtype_t type = NIL_P(rb_pid) ? P_ALL : P_PID;
    id_t id = NIL_P(rb_pid) ? 0 : (id_t)NUM2PIDT(rb_pid);
    if (syscall(SYS_waitid, type, id, &info, WEXITED | WNOHANG | WNOWAIT, &usage) < 0) {
        int saved = errno;
        if (saved == ECHILD) return Qnil;
        rb_syserr_fail(saved, "waitid");
    }
    if (info.si_pid == 0) return Qnil;
    int64_t cpu_us = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
    return rb_ary_new_from_args(3, PIDT2NUM(info.si_pid), LONG2NUM(usage.ru_maxrss), LL2NUM(cpu_us));
}

/*
 * memory_file(text, sealable = false) -> the descriptor of a file in memory, which has no name. /proc shows the text
 * for it. A process that has a sealable one may forbid writes: fcntl(2), F_ADD_SEALS.
 */
static VALUE os_memory_file(int argc, VALUE *argv, VALUE self) {
    (void)self;
    VALUE text, sealable;
    rb_scan_args(argc, argv, "11", &text, &sealable);
    int fd = memfd_create(StringValueCStr(text), MFD_CLOEXEC | (RTEST(sealable) ? MFD_ALLOW_SEALING : 0));
    if (fd < 0) rb_sys_fail("memfd_create");
    return INT2NUM(fd);
}

/* The descriptor of a new eventfd(2), which does not block. */
static VALUE os_eventfd(VALUE self) {
    (void)self;
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0) rb_sys_fail("eventfd");
    return INT2NUM(fd);
}

static void define_functions(VALUE os) {
    rb_define_module_function(os, "become_subreaper", os_become_subreaper, 0);
    rb_define_module_function(os, "subreaper?", os_subreaper_p, 0);
    rb_define_module_function(os, "subreaper=", os_set_subreaper, 1);
    rb_define_module_function(os, "parent_death_signal", os_parent_death_signal, 1);
    rb_define_module_function(os, "wait_exit", os_wait_exit, 2);
    rb_define_module_function(os, "exited_child", os_exited_child, -1);
    rb_define_module_function(os, "memory_file", os_memory_file, -1);
    rb_define_module_function(os, "eventfd", os_eventfd, 0);
}

/* supervises? -> whether this system has what a monitor needs to have child processes. */
static VALUE os_supervises_p(VALUE self) {
    return Qtrue;
}

#else

static void define_functions(VALUE os) {
    (void)os;
}

static VALUE os_supervises_p(VALUE self) {
    return Qfalse;
}

#endif

/* Gives back to the kernel what the memory allocator keeps though it is free. */
static VALUE os_release_free_memory(VALUE self) {
    coppice_release_free_memory();
    return Qnil;
}

/*
 * Ends the interval timers of this process, such as a profiler's. exec keeps them, and resets the handlers of their
 * signals: the next signal would end the new program.
 */
static VALUE os_stop_timers(VALUE self) {
    static const struct itimerval none;
    (void)self;
    setitimer(ITIMER_REAL, &none, NULL);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    setitimer(ITIMER_PROF, &none, NULL);
    return Qnil;
}

void Init_coppice_process(VALUE coppice) {
    VALUE os = rb_define_module_under(coppice, "OS");
    rb_define_module_function(os, "supervises?", os_supervises_p, 0);
    rb_define_module_function(os, "release_free_memory", os_release_free_memory, 0);
    rb_define_module_function(os, "stop_timers", os_stop_timers, 0);
    define_functions(os);
}
