#ifndef COPPICE_SOCK_DIAG_H
#define COPPICE_SOCK_DIAG_H

/* The kernel's list of listening sockets with their queues: sock_diag(7). Pure C, no Ruby. */

#include <stddef.h>
#include <stdint.h>

struct coppice_listen_queue {
    uint32_t inode;
    uint32_t length;  /* connections that wait to be accepted */
    uint32_t backlog; /* how many may wait */
};

struct coppice_listen_queues {
    struct coppice_listen_queue *items;
    size_t count, capacity;
};

/* Adds the listening sockets of an address family (AF_INET and AF_INET6: TCP; AF_UNIX) in the caller's network
 * namespace. 0, or an errno: the kernel or a sandbox refuses. */
int coppice_sock_diag(int family, struct coppice_listen_queues *queues);

/* How many clients of a TCP port of this family have begun to connect, and cannot be accepted yet: their handshake is
 * not over, or they have sent nothing and the listener has TCP_DEFER_ACCEPT. 0, or an errno as above. */
int coppice_handshakes(int family, uint16_t port, size_t *count);

void coppice_listen_queues_free(struct coppice_listen_queues *queues);

#endif
