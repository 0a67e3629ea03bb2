/*
 * The part of epoll(7) that Coppice uses, by poll(2), for systems without. Only one thread at a time may use a set.
 *
 * The descriptor of a set is a socket that nothing is ever sent to: it reserves a number, and a set that is watched by
 * another is known by it.
 */
#include "portable_epoll.h"

#ifndef COPPICE_LINUX

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { MOST_POLLED = 1024 };

struct set {
    int epoll_fd;
    int count;
    int capacity;
    int turn; /* the place in `fds` where the next look begins, so that none is passed over */
    int *fds;
    struct set *next;
};

static struct set *sets;

static struct set *find(int epoll_fd) {
    struct set *set = sets;
    while (set && set->epoll_fd != epoll_fd) set = set->next;
    return set;
}

int coppice_epoll_create(int flags) {
    (void)flags;
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (fd < 0) return -1;
    struct set *set = fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 ? NULL : calloc(1, sizeof(*set));
    if (!set) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    *set = (struct set){.epoll_fd = fd, .next = sets};
    sets = set;
    return fd;
}

static int position(const struct set *set, int fd) {
    int index = 0;
    while (index < set->count && set->fds[index] != fd) index++;
    return index;
}

static int add(struct set *set, int fd) {
    if (set->count == set->capacity) {
        int capacity = set->capacity ? set->capacity * 2 : 8;
        int *fds = realloc(set->fds, (size_t)capacity * sizeof(*fds));
        if (!fds) return -1;
        set->fds = fds;
        set->capacity = capacity;
    }
    set->fds[set->count++] = fd;
    return 0;
}

static void remove_at(struct set *set, int index) {
    set->count--;
    memmove(set->fds + index, set->fds + index + 1, (size_t)(set->count - index) * sizeof(*set->fds));
}

int coppice_epoll_ctl(int epoll_fd, int operation, int fd, struct epoll_event *event) {
    (void)event;
    struct set *set = find(epoll_fd);
    if (!set || fcntl(fd, F_GETFD) < 0) {
        errno = EBADF;
        return -1;
    }
    int index = position(set, fd);
    bool known = index < set->count;
    if (known != (operation == EPOLL_CTL_DEL)) {
        errno = known ? EEXIST : ENOENT;
        return -1;
    }
    if (operation == EPOLL_CTL_ADD) return add(set, fd);
    remove_at(set, index);
    return 0;
}

/* What one poll(2) looks at, and for each place which descriptor of the set it stands for. */
struct look {
    struct pollfd polled[MOST_POLLED];
    int stands_for[MOST_POLLED];
    int count;
};

static void look_at(struct look *look, int fd, int stands_for) {
    if (look->count == MOST_POLLED) return;
    look->polled[look->count] = (struct pollfd){.fd = fd, .events = POLLIN};
    look->stands_for[look->count++] = stands_for;
}

static void prepare(struct look *look, const struct set *set) {
    for (int i = 0; i < set->count; i++) {
        int fd = set->fds[(set->turn + i) % set->count];
        const struct set *watched = find(fd);
        if (!watched) look_at(look, fd, fd);
        for (int j = 0; watched && j < watched->count; j++) look_at(look, watched->fds[j], fd);
    }
}

static int collect(const struct look *look, struct epoll_event *events, int most) {
    int found = 0;
    for (int i = 0; i < look->count && found < most; i++) {
        if (!look->polled[i].revents) continue;
        int fd = look->stands_for[i];
        if (found > 0 && events[found - 1].data.fd == fd) continue; /* of a set, whose descriptors stand side by side */
        events[found++] = (struct epoll_event){.events = EPOLLIN, .data.fd = fd};
    }
    return found;
}

int coppice_epoll_wait(int epoll_fd, struct epoll_event *events, int most, int timeout_ms) {
    struct set *set = find(epoll_fd);
    if (!set) {
        errno = EBADF;
        return -1;
    }
    struct look look = {.count = 0};
    prepare(&look, set);
    int ready = poll(look.polled, (nfds_t)look.count, timeout_ms);
    if (ready <= 0) return ready;
    int found = collect(&look, events, most);
    if (found > 0) set->turn = position(set, events[found - 1].data.fd) + 1;
    return found;
}

int coppice_epoll_close(int epoll_fd) {
    for (struct set **link = &sets; *link; link = &(*link)->next) {
        if ((*link)->epoll_fd != epoll_fd) continue;
        struct set *set = *link;
        *link = set->next;
        free(set->fds);
        free(set);
        break;
    }
    return close(epoll_fd);
}

#endif
