/*
 * sandbox_driver FOLDER [other-abi]: puts itself into the sandbox, tries calls, and prints the name and the errno of
 * each. All descriptors that are needed are made before. With other-abi it makes a call by the numbers of another
 * architecture instead; its exit status is 77 where the kernel has none.
 */

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lobby/loop/sandbox.h"

enum { NO_OTHER_ABI = 77 };

const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "detect_leaks=0"; /* looks for leaks with ptrace */
}

#define TRY(name, call)                                  \
    do {                                                 \
        errno = 0;                                       \
        int failed = (call) < 0;                         \
        printf("%s %d\n", name, failed ? errno : 0);     \
        fflush(stdout);                                  \
    } while (0)

static int directory, listener, client, pair[2], epoll, file;

static void prepare(const char *folder) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    directory = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    client = socket(AF_INET, SOCK_STREAM, 0);
    epoll = epoll_create1(0);
    file = memfd_create("file", 0);
    CHECK(directory >= 0 && listener >= 0 && client >= 0 && epoll >= 0 && file >= 0);
    CHECK(bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 5) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&address, &length) == 0);
    CHECK(connect(client, (struct sockaddr *)&address, length) == 0);
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
    CHECK(write(file, "hello", 5) == 5);
}

static void try_needed(void) {
    struct epoll_event event = {.events = EPOLLIN};
    struct stat stat;
    struct statfs disk;
    char bytes[16];
    struct iovec part = {.iov_base = bytes, .iov_len = 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    int one = 1, accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    off_t from = 0;

    TRY("accept4", accepted);
    TRY("send", send(client, "abc", 3, 0));
    TRY("epoll_ctl", epoll_ctl(epoll, EPOLL_CTL_ADD, accepted, &event));
    TRY("epoll_wait", epoll_wait(epoll, &event, 1, 20000)); /* until the kernel has passed on what was sent */
    TRY("recv", recv(accepted, bytes, 1, 0));
    TRY("readv", readv(accepted, &part, 1));
    TRY("sendmsg", sendmsg(accepted, &message, MSG_NOSIGNAL));
    TRY("sendfile", sendfile(accepted, file, &from, 5));
    TRY("nodelay", setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)));
    TRY("linger", setsockopt(accepted, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger)));
    TRY("unsent", ioctl(accepted, TIOCOUTQ, &one));
    TRY("shutdown", shutdown(accepted, SHUT_WR));
    TRY("fcntl", fcntl(accepted, F_DUPFD_CLOEXEC, 0));
    TRY("close", close(accepted));
    TRY("fstat", fstat(file, &stat));
    TRY("fstatfs", fstatfs(directory, &disk));
    TRY("temporary_file", openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    TRY("memfd", memfd_create("more", MFD_CLOEXEC));
    TRY("map", mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED ? -1 : 0);
    TRY("random", getrandom(bytes, sizeof(bytes), 0));
    TRY("name", prctl(PR_SET_NAME, "sandboxed"));
    char *large = malloc(1 << 20);
    CHECK(large && (large = realloc(large, 1 << 24)));
    free(large);
}

static void try_forbidden(const char *folder) {
    char path[512];
    char *words[] = {"/bin/true", NULL};
    snprintf(path, sizeof(path), "%s/named", folder);
    long flags = CLONE_FILES | CLONE_PARENT | SIGCHLD;

    TRY("open", open("/etc/passwd", O_RDONLY));
    TRY("open_in_folder", openat(directory, "named", O_CREAT | O_RDWR, 0600));
    TRY("temporary_file_elsewhere", openat(AT_FDCWD, folder, O_TMPFILE | O_RDWR, 0600));
    TRY("unlink", unlink(path));
    TRY("socket", socket(AF_INET, SOCK_STREAM, 0));
    TRY("connect", connect(client, (struct sockaddr *)path, 16));
    TRY("listen", listen(listener, 1));
    TRY("exec", execve(words[0], words, words + 1));
    TRY("fork", syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));
    TRY("clone_without_pidfd", syscall(SYS_clone, flags, NULL, NULL, NULL, NULL));
    TRY("kill", kill(getppid(), 0));
    TRY("kill_self", kill(getpid(), 0));
    TRY("map_code", mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
    TRY("dumpable", prctl(PR_SET_DUMPABLE, 1));
    TRY("inject", ioctl(0, TIOCSTI, "x"));
    TRY("multicast", setsockopt(client, IPPROTO_IP, IP_MULTICAST_TTL, &(int){1}, sizeof(int)));
    TRY("ptrace", syscall(SYS_ptrace, 0, 0, 0, 0));
    TRY("bpf", syscall(SYS_bpf, 0, NULL, 0));
}

/* getpid of a 32-bit program. */
static void call_by_other_abi(void) {
#ifdef __x86_64__
    __asm__ volatile("int $0x80" : : "a"(20) : "memory");
#endif
}

/* A kernel may be started without calls of 32-bit programs: then they are a fault of the processor. */
static bool other_abi_exists(void) {
    int status;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* without the sanitizer's report */
        call_by_other_abi();
        _exit(EXIT_SUCCESS);
    }
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status);
}

int main(int count, char **arguments) {
    CHECK(count > 1);
    if (count > 2 && !other_abi_exists()) return NO_OTHER_ABI;
    prepare(arguments[1]);
    int refused = lobby_sandbox(directory);
    printf("sandbox %d\n", refused);
    fflush(stdout);
    if (refused) return EXIT_SUCCESS;
    if (count > 2) call_by_other_abi();
    try_needed();
    try_forbidden(arguments[1]);
    return EXIT_SUCCESS;
}
