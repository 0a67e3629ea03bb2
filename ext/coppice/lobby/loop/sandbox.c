#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "keeper.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#ifdef ARCHITECTURE

#ifndef SECCOMP_FILTER_FLAG_SPEC_ALLOW
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW 4
#endif

enum { MAX_INSTRUCTIONS = 512 };

/* Some of an argument's bits must have this value. The upper half is not looked at: no argument here uses it. */
struct condition {
    uint32_t argument, mask, value;
};

struct rule {
    long call;
    int conditions;
    struct condition condition[2];
};

/* Calls that are made for each request come first: older kernels look at one after the other. */
static const long allowed[] = {
    SYS_recvfrom, SYS_sendto, SYS_epoll_pwait, SYS_epoll_ctl, SYS_write, SYS_sendmsg, SYS_recvmsg, SYS_accept4, SYS_close,
    SYS_writev, SYS_read, SYS_readv, SYS_pread64, SYS_pwrite64, SYS_pwritev, SYS_pwritev2, SYS_preadv, SYS_sendfile, SYS_shutdown,
    SYS_clock_gettime, SYS_getsockname, SYS_getpeername, SYS_getsockopt, SYS_lseek, SYS_fcntl, SYS_dup, SYS_fstat,
    SYS_ftruncate, SYS_fallocate, SYS_memfd_create, SYS_eventfd2, SYS_ppoll, SYS_madvise, SYS_munmap, SYS_mremap, SYS_brk,
    SYS_getrandom, SYS_clock_nanosleep, SYS_nanosleep, SYS_restart_syscall, SYS_getpid, SYS_gettid, SYS_exit,
    SYS_exit_group, SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_sigaltstack, SYS_futex, SYS_sched_yield,
    SYS_pidfd_open, SYS_fstatfs,
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_epoll_pwait2
    SYS_epoll_pwait2,
#endif
};

struct filter {
    unsigned short count;
    struct sock_filter instructions[MAX_INSTRUCTIONS];
};

static void add(struct filter *filter, struct sock_filter instruction) {
    if (filter->count < MAX_INSTRUCTIONS) filter->instructions[filter->count++] = instruction;
}

static void load(struct filter *filter, size_t offset) {
    add(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* Goes on with the next instruction if the value is loaded, else `skip` further. */
static void expect(struct filter *filter, uint32_t value, uint8_t skip) {
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip));
}

static void answer(struct filter *filter, uint32_t action) {
    add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void load_argument(struct filter *filter, uint32_t argument) {
    size_t offset = offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t);
    load(filter, offset); /* little-endian: the lower half comes first */
}

static void allow_call(struct filter *filter, long call) {
    expect(filter, (uint32_t)call, 1);
    answer(filter, SECCOMP_RET_ALLOW);
}

/* Three instructions for each condition; behind them one to allow it. Else the next rule finds the call loaded again. */
static void allow(struct filter *filter, const struct rule *rule) {
    uint8_t left = (uint8_t)(rule->conditions * 3 + 1);
    expect(filter, (uint32_t)rule->call, (uint8_t)(left + 1));
    for (int i = 0; i < rule->conditions; i++) {
        left = (uint8_t)(left - 3);
        load_argument(filter, rule->condition[i].argument);
        add(filter, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, rule->condition[i].mask));
        expect(filter, rule->condition[i].value, left);
    }
    answer(filter, SECCOMP_RET_ALLOW);
    load(filter, offsetof(struct seccomp_data, nr));
}

static void write_rules(struct filter *filter, int directory_fd) {
    const uint32_t all = UINT32_MAX;
    const uint32_t clone_free = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
    const struct rule rules[] = {
        {SYS_setsockopt, 1, {{1, all, SOL_SOCKET}}},
        {SYS_setsockopt, 1, {{1, all, IPPROTO_TCP}}},
        {SYS_ioctl, 1, {{1, all, TIOCOUTQ}}},
        {SYS_mmap, 1, {{2, PROT_EXEC, 0}}},
        {SYS_mprotect, 1, {{2, PROT_EXEC, 0}}},
        /* A file without a name is a new one, whatever the path. */
        {SYS_openat, 2, {{0, all, (uint32_t)directory_fd}, {2, O_TMPFILE, O_TMPFILE}}},
        {SYS_newfstatat, 1, {{3, AT_EMPTY_PATH, AT_EMPTY_PATH}}},
        {SYS_clone, 1, {{0, ~clone_free, LOBBY_CLONE_FLAGS}}},
        {SYS_prctl, 1, {{0, all, PR_SET_NAME}}},
        {SYS_prctl, 1, {{0, all, PR_GET_TID_ADDRESS}}},
    };

    load(filter, offsetof(struct seccomp_data, arch));
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    answer(filter, SECCOMP_RET_KILL_PROCESS); /* numbers of another architecture mean other calls */
    load(filter, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) allow_call(filter, allowed[i]);
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (rules[i].call != SYS_openat || directory_fd >= 0) allow(filter, &rules[i]);
    }
    answer(filter, SECCOMP_RET_ERRNO | EPERM);
}

/* The first flag keeps older kernels from turning off speculation, which would slow down the whole process. */
static int install(struct filter *filter) {
    struct sock_fprog program = {.len = filter->count, .filter = filter->instructions};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return errno;
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0) return 0;
    if (errno == EINVAL && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0) return 0;
    return errno;
}

int lobby_sandbox(int directory_fd) {
    struct filter filter = {.count = 0};
    write_rules(&filter, directory_fd);
    return install(&filter);
}

#else

int lobby_sandbox(int directory_fd) {
    (void)directory_fd;
    return ENOSYS; /* nobody has checked the numbers of calls there */
}

#endif
