/*
 * Has the C library's fork(3) make a sibling of the calling process: a child of its parent.
 *
 * clone(2) has a flag for that, CLONE_PARENT, but fork passes none on, and a clone of our own would leave out all that
 * fork does: the handlers of pthread_atfork (allocators, random numbers, gRPC), those of the C library and of Ruby. So
 * the one system call by which fork makes the copy is handed to a handler of SIGSYS, which adds the flag and makes the
 * call (Syscall User Dispatch: prctl(2), Linux 5.11, x86-64). That begins in a handler of pthread_atfork, which was
 * registered early and is called late, and ends as soon as fork has made the copy. Where the kernel or a sandbox does
 * not offer it, or fork makes the copy in another way, the copy is a child as ever, and the caller is told.
 */
#include "coppice_ext.h"

#include <pthread.h>
#include <ruby.h>
#include <stdbool.h>

static pthread_t caller; /* the thread whose next fork is meant */
static bool wanted;      /* it has not begun yet */
static bool made;        /* the last one that was wanted has made a sibling */

#if defined(COPPICE_LINUX) && defined(__x86_64__) && defined(__GLIBC__)

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

#ifndef SYS_clone3
#define SYS_clone3 435
#endif

#ifndef SYS_USER_DISPATCH
#define SYS_USER_DISPATCH 2
#endif

enum { OFF = 0, ON = 1 };          /* of the prctl */
enum { ALLOW = 0, HAND_OVER = 1 }; /* of the selector */
enum { KERNEL_SA_RESTORER = 0x04000000 };
enum { SYSCALL_BYTES = 2 }; /* of the instruction */

static const uint64_t OUR_SIGNAL = (uint64_t)1 << (SIGSYS - 1); /* in a mask of the kernel's */

/* As the kernel has it: the C library's has its own way back from a handler, whose system call would be handed over. */
struct kernel_sigaction {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

/* The way back from our handler: rt_sigreturn(2), from addresses whose system calls are never handed over. The kernel
 * compares the address behind the call. */
void coppice_sibling_return(void);
extern const char coppice_sibling_return_end[];
__asm__(".text\n"
        ".local coppice_sibling_return, coppice_sibling_return_end\n"
        "coppice_sibling_return:\n"
        "    mov $15, %eax\n"
        "    syscall\n"
        "    ud2\n"
        "coppice_sibling_return_end:\n");

static bool armed;                     /* the fork is being made */
static volatile char selector = ALLOW; /* the kernel reads it at each system call of the caller */
static uint64_t mask_before;
static struct kernel_sigaction action_before;

static long call_kernel(long number, const greg_t *registers) {
    register long r10 __asm__("r10") = registers[REG_R10];
    register long r8 __asm__("r8") = registers[REG_R8];
    register long r9 __asm__("r9") = registers[REG_R9];
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(registers[REG_RDI]), "S"(registers[REG_RSI]), "d"(registers[REG_RDX]), "r"(r10),
                       "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* A copy of the process, that is: no thread, and nothing that shares its memory. */
static bool makes_copy(long number, const greg_t *registers) {
    return number == SYS_clone && registers[REG_RSI] == 0 && !(registers[REG_RDI] & (CLONE_VM | CLONE_THREAD));
}

/* A call from which a thread, or another process, goes on by itself: not from within our handler. */
static bool begins_thread(long number) {
    return number == SYS_clone || number == SYS_clone3 || number == SYS_fork || number == SYS_vfork;
}

/* Of both processes, in each of which it returns. */
static long make_sibling(greg_t *registers) {
    registers[REG_RDI] |= CLONE_PARENT;
    made = true; /* in the copy as well */
    long result = call_kernel(SYS_clone, registers);
    if (result >= 0) return result;
    made = false;
    registers[REG_RDI] &= ~(greg_t)CLONE_PARENT;
    return call_kernel(SYS_clone, registers);
}

/* rt_sigprocmask(2) for the time after the handler; SIGSYS stays open. Newer C libraries block all signals around the
 * copy. */
static long change_mask(ucontext_t *context, const greg_t *registers) {
    const uint64_t *set = (const uint64_t *)registers[REG_RSI];
    uint64_t *old = (uint64_t *)registers[REG_RDX];
    uint64_t mask;
    memcpy(&mask, &context->uc_sigmask, sizeof(mask));
    uint64_t change = set ? *set : 0;
    if (old) *old = mask;
    if (!set) return 0;
    switch (registers[REG_RDI]) {
    case SIG_BLOCK: mask |= change; break;
    case SIG_UNBLOCK: mask &= ~change; break;
    case SIG_SETMASK: mask = change; break;
    default: return -EINVAL;
    }
    mask &= ~OUR_SIGNAL;
    memcpy(&context->uc_sigmask, &mask, sizeof(mask));
    return 0;
}

/* Makes one system call of the caller. From the copy on all others are its own again; also from a thread on that another
 * handler of pthread_atfork begins. The caller makes that call once more itself, and the copy will be a child as ever. */
static void dispatch(int signal, siginfo_t *info, void *pointer) {
    (void)signal;
    if (info->si_code != SYS_USER_DISPATCH) return; /* somebody has sent the signal */
    selector = ALLOW;
    ucontext_t *context = pointer;
    greg_t *registers = context->uc_mcontext.gregs;
    long number = info->si_syscall;
    if (makes_copy(number, registers)) {
        registers[REG_RAX] = make_sibling(registers);
        return;
    }
    if (begins_thread(number)) {
        registers[REG_RIP] -= SYSCALL_BYTES;
        return;
    }
    bool of_mask = number == SYS_rt_sigprocmask;
    registers[REG_RAX] = of_mask ? change_mask(context, registers) : call_kernel(number, registers);
    selector = HAND_OVER;
}

static bool begin_dispatch(void) {
    unsigned long start = (unsigned long)coppice_sibling_return;
    unsigned long length = (unsigned long)coppice_sibling_return_end - start;
    return prctl(PR_SET_SYSCALL_USER_DISPATCH, ON, start, length, &selector) == 0;
}

static void take_signal(const struct kernel_sigaction *action, struct kernel_sigaction *before) {
    syscall(SYS_rt_sigaction, SIGSYS, action, before, sizeof(action->mask));
}

static void set_mask(uint64_t mask, uint64_t *before) {
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, before, sizeof(mask));
}

/* Called late in fork. No handler of another signal may run until the copy is made: the system call by which it returns
 * cannot be made for it. */
static void begin(void) {
    if (!wanted || !pthread_equal(caller, pthread_self())) return;
    wanted = false;
    set_mask(~OUR_SIGNAL, &mask_before);
    const struct kernel_sigaction ours = {
        .handler = dispatch,
        .flags = SA_SIGINFO | KERNEL_SA_RESTORER,
        .restorer = coppice_sibling_return,
        .mask = UINT64_MAX,
    };
    take_signal(&ours, &action_before);
    armed = true;
    if (begin_dispatch()) selector = HAND_OVER;
}

/* Called in both processes, before all other handlers, and when there is no copy. Not for another thread that forks
 * meanwhile. */
static void end(void) {
    if (!armed || !pthread_equal(caller, pthread_self())) return;
    selector = ALLOW;
    armed = false;
    prctl(PR_SET_SYSCALL_USER_DISPATCH, OFF, 0, 0, 0);
    take_signal(&action_before, NULL);
    set_mask(mask_before, NULL);
}

static void watch_forks(void) {
    pthread_atfork(begin, end, end); /* if there is no memory for it, no fork makes a sibling */
}

#else

static void watch_forks(void) {
} /* a process in between makes the sibling */

#endif

/* want_sibling(wanted): whether the next fork of this thread is to make a sibling. Forgets what the last one made. */
static VALUE os_want_sibling(VALUE self, VALUE rb_wanted) {
    (void)self;
    caller = pthread_self();
    wanted = RTEST(rb_wanted);
    made = false;
    return Qnil;
}

/* sibling_made? -> whether the last fork that was to make a sibling has made one. Both processes can ask. */
static VALUE os_sibling_made_p(VALUE self) {
    (void)self;
    return made ? Qtrue : Qfalse;
}

void Init_coppice_sibling_clone(VALUE coppice) {
    watch_forks();
    VALUE os = rb_define_module_under(coppice, "OS");
    rb_define_module_function(os, "want_sibling", os_want_sibling, 1);
    rb_define_module_function(os, "sibling_made?", os_sibling_made_p, 0);
}
