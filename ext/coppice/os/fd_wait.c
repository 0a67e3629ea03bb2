#include "fd_wait.h"

#include <limits.h>
#include <poll.h>
#include <ruby.h>
#include <ruby/thread.h>

#include "shared/socket_io.h"

struct poll_call {
    struct pollfd pollfd;
    int timeout_ms;
};

static int remaining_ms(int64_t deadline_ms) {
    int64_t left = deadline_ms - coppice_monotonic_ms();
    if (left < 0) return 0;
    return left > INT_MAX ? INT_MAX : (int)left;
}

static void *poll_nogvl(void *pointer) {
    struct poll_call *call = pointer;
    call->pollfd.revents = 0;
    if (poll(&call->pollfd, 1, call->timeout_ms) < 0) call->pollfd.revents = 0; /* EINTR: as if nothing came yet */
    return NULL;
}

bool coppice_wait_for_fd(int fd, short events, int64_t deadline_ms) {
    struct poll_call call = {.pollfd = {.fd = fd, .events = events}};
    while ((call.timeout_ms = remaining_ms(deadline_ms)) > 0) {
        rb_thread_call_without_gvl(poll_nogvl, &call, RUBY_UBF_IO, NULL);
        rb_thread_check_ints();
        if (call.pollfd.revents) return true;
    }
    return false;
}
