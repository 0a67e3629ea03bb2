#ifndef COPPICE_PORTABLE_EPOLL_H
#define COPPICE_PORTABLE_EPOLL_H

/*
 * epoll(7) where the system has it. Elsewhere the part of it that Coppice uses, by poll(2), under names of its own:
 * level-triggered input, one event for each descriptor, and a set may be watched by another set. A descriptor has to be
 * taken off a set before it is closed.
 */

#include <unistd.h>

#ifdef COPPICE_LINUX
#include <sys/epoll.h>

static inline int coppice_epoll_close(int epoll_fd) {
    return close(epoll_fd);
}
#else
#include <stdint.h>

/* EPOLLET is for the lobby alone, which only Linux has. */
enum { EPOLLIN = 1, EPOLLET = 0, EPOLLEXCLUSIVE = 0, EPOLL_CLOEXEC = 1, EPOLL_CTL_ADD = 1, EPOLL_CTL_DEL = 2 };

struct epoll_event {
    uint32_t events;
    struct {
        int fd;
    } data;
};

#define epoll_create1 coppice_epoll_create
#define epoll_ctl coppice_epoll_ctl
#define epoll_wait coppice_epoll_wait

int coppice_epoll_create(int flags);
int coppice_epoll_ctl(int epoll_fd, int operation, int fd, struct epoll_event *event);
int coppice_epoll_wait(int epoll_fd, struct epoll_event *events, int most, int timeout_ms);
int coppice_epoll_close(int epoll_fd);
#endif

#endif
