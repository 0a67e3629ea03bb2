#ifndef COPPICE_PACKETS_H
#define COPPICE_PACKETS_H

/* Packets of sockets that keep their bounds (SEQPACKET), some with descriptors; in pure C. Nobody waits for either end. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

enum { COPPICE_PACKET_DESCRIPTORS = 72 }; /* that a packet may carry */

/* With a descriptor, or -1. False and errno. */
bool coppice_packet_send(int fd, struct iovec *parts, size_t count, int descriptor);

/* One packet: its length, 0 at the end of the channel, -1 and errno. *count: of the descriptors that came; those beyond
 * the capacity are closed. */
ssize_t coppice_packet_receive(int fd, struct iovec *parts, size_t part_count, int *descriptors, int capacity,
                               int *count);

#endif
