#ifndef COPPICE_LOBBY_RECORDS_H
#define COPPICE_LOBBY_RECORDS_H

/*
 * The bottom of the lobby: its records and what they are made of. Nothing here knows how a client is read or answered,
 * or what a worker says.
 */

#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "process.h"

/* arena.c: maps everything, seals what workers may not change. NULL after a log packet. descriptors: those of `start`.
 * */
struct coppice_lobby *lobby_create(const struct lobby_settings *settings, int channel_fd, const int *descriptors);

/* reports.c: what the monitor is told. A packet that finds the channel full is dropped. */
enum lobby_log_level { LOBBY_DEBUG, LOBBY_INFO, LOBBY_WARN, LOBBY_ERROR };
void lobby_tell(int channel_fd, const char *text);
void lobby_log(const struct coppice_lobby *lobby, enum lobby_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* spare_descriptors.c: open again what was lent, before anything else takes a descriptor. */
void lobby_reserve_open(struct coppice_lobby *lobby);
void lobby_spares_begin(struct coppice_lobby *lobby);
bool lobby_spares_open(struct coppice_lobby *lobby);
void lobby_spares_lend(struct coppice_lobby *lobby, int count);

/* registration.c: what epoll says of whom. */
enum lobby_source { LOBBY_CHANNEL, LOBBY_EVENT, LOBBY_KEEPER, LOBBY_LISTENER, LOBBY_SEAT, LOBBY_CONNECTION };
enum { LOBBY_SOURCE_SHIFT = 56, LOBBY_GENERATION_SHIFT = 32, LOBBY_GENERATION_MASK = 0xffffff };
bool lobby_watch(const struct coppice_lobby *lobby, int fd, enum lobby_source source, uint32_t index, uint32_t events);
bool lobby_register(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_unregister(struct coppice_lobby *lobby, struct lobby_connection *connection);

/* wishes.c: what is to become of the connection in hand. A function that works on it leaves a wish and returns;
 * loop/hand.c fulfils it. The wish that is nearer to the end counts. */
void lobby_wish(enum lobby_wish_kind kind);
/* An answer of the lobby's own, then the end of the connection. */
void lobby_wish_refusal(int status, const char *reason);
/* For the request whose head is complete in this slot, and which is not queued. */
void lobby_wish_arrived_refusal(struct coppice_lobby_slot *slot, int status, const char *reason);
/* For a request that is no longer the connection's. */
void lobby_wish_request_refusal(struct lobby_request *request, int status, const char *reason);
/* Its answer is sent to the end. */
void lobby_wish_answered(enum lobby_end end);
void lobby_wish_arrival(const struct lobby_arrival *arrival);
/* The client has left. */
void lobby_wish_gone(const struct coppice_lobby *lobby, const struct lobby_connection *connection);

/* lists.c */
void lobby_list_append(struct coppice_lobby *lobby, struct lobby_list *list, struct lobby_connection *connection);
void lobby_list_remove(struct coppice_lobby *lobby, struct lobby_list *list, const struct lobby_connection *connection);
void lobby_enter_idle(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_leave_idle(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* Clients whose body goes to a file. False: this one's does not. */
bool lobby_upload_enter(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_upload_leave(struct coppice_lobby *lobby, struct lobby_connection *connection);

/* records.c: from a free record back to a free record. */
/* The record that will be used next; LOBBY_NONE where there are max_connections. */
uint32_t lobby_record_take(struct coppice_lobby *lobby);
struct lobby_connection *lobby_open(struct coppice_lobby *lobby, uint32_t index, int fd);
/* Gives back whatever it has, but for the client. */
void lobby_release(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_close(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* Closes the one that is idle for longest, or one that lingers; false without any. */
bool lobby_evict(struct coppice_lobby *lobby);
void lobby_arm(struct coppice_lobby *lobby, struct lobby_connection *connection, int64_t due_ms);
void lobby_disarm(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* How long an idle connection of this client may stay open; 0: not at all. */
int64_t lobby_keepalive_ms(const struct coppice_lobby *lobby, const struct lobby_connection *connection);

/* clients.c: how many connections each client has. */
uint32_t lobby_clients_size(uint32_t max_connections);
size_t lobby_clients_bytes(uint32_t size);
/* False when it has as many as it may. */
bool lobby_client_enter(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_client_leave(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_clients_clear(struct coppice_lobby *lobby);
/* The same for all addresses that count as one client. */
uint64_t lobby_client_key(const struct coppice_lobby_address *address);
/* The place of a key in a table whose size is a power of two. The first bits of the product depend on all of the key's:
 * networks of IPv6 differ in the last ones that are read. */
static inline uint32_t lobby_place_of(const struct coppice_lobby *lobby, uint64_t key, uint32_t size) {
    return (uint32_t)(((key ^ lobby->identity) * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - __builtin_ctz(size)));
}

/* access_entries.c: what is known of a request. */
void lobby_identify(struct coppice_lobby *lobby, struct coppice_lobby_slot *slot);
/* Once for each request, which is NULL when it was refused before it was whole. */
void lobby_log_access(struct coppice_lobby *lobby, const struct lobby_connection *connection,
                      struct lobby_request *request, int status, uint64_t bytes, const char *cause);
void lobby_flush_access_log(struct coppice_lobby *lobby);
void lobby_reopen_access_log(struct coppice_lobby *lobby, int fd);

/* intake_blocks.c */
struct lobby_intake *lobby_intake_take(struct coppice_lobby *lobby, struct lobby_connection *connection, size_t bytes);
/* Moves what is there to a block with room for so many bytes; NULL without one. */
struct lobby_intake *lobby_intake_grow(struct coppice_lobby *lobby, struct lobby_connection *connection, size_t bytes);
void lobby_intake_release(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* What the client has sent beyond its request. */
struct iovec lobby_surplus(const struct coppice_lobby *lobby, const struct lobby_connection *connection);
/* Drops the first request's bytes, for the next one. */
void lobby_intake_restart(struct coppice_lobby *lobby, struct lobby_intake *intake, size_t used);

/* files.c: a file that has no name; -1 after a log packet. */
int lobby_file_create(struct coppice_lobby *lobby);
/* Whether the file system of an open file or directory can take so much, which disk_full remembers; false after a log
 * packet. */
bool lobby_file_system_has_room(const struct coppice_lobby *lobby, int fd, uint64_t bytes);
/* False after a log packet: there is no room. */
bool lobby_file_append(struct coppice_lobby *lobby, int fd, const char *bytes, size_t length);

/* descriptors.c */
void lobby_file_close(struct coppice_lobby *lobby, int32_t *place, uint64_t bytes);
/* Puts -1 in its place and answers it, to be closed then: a successor of this loop must not close the number a second
 * time, which may be somebody else's by then. */
int lobby_forget_descriptor(int32_t *place);

/* Here, so that the length of a literal name is known when it is compiled. */
static inline bool lobby_method_is(const struct coppice_lobby_slot *slot, const char *bytes, const char *name) {
    struct coppice_span method = slot->head.method;
    return method.length == strlen(name) && memcmp(bytes + method.offset, name, strlen(name)) == 0;
}

/* requests.c: what is known of a request from the push to its END. */
struct lobby_request *lobby_slot_take(struct coppice_lobby *lobby);
void lobby_slot_release(struct coppice_lobby *lobby, uint32_t slot);
struct lobby_request *lobby_request_of(const struct coppice_lobby *lobby, uint64_t serial);
/* The seat that has it, COPPICE_QUEUE_UNOWNED and the like. */
int lobby_owner_of(const struct coppice_lobby *lobby, struct lobby_request *request);
/* The request with this number, if the worker on this seat may answer it; else NULL. */
struct lobby_request *lobby_request_of_seat(const struct coppice_lobby *lobby, uint32_t seat, uint64_t serial);
/* Its worker has had it for so long. */
void lobby_request_took(struct coppice_lobby *lobby, const struct lobby_request *request, int64_t us);
/* Takes it back from the queue and frees its slot, which still has what it was; false when a worker has it. */
bool lobby_request_withdraw(struct coppice_lobby *lobby, struct lobby_request *request);
/* Nobody will get the answer any more: takes it back, or lets its worker know. */
void lobby_request_drop(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* Its client gets this status in the same turn, or an end that tells that the answer is not whole. abandoned: nobody
 * else has its slot, which is free then. */
void lobby_request_condemn(struct lobby_request *request, int status, const char *reason, bool abandoned);
/* The worker that has this connection's request may have asked for the client, which can be decided now. */
void lobby_look_at_worker(struct coppice_lobby *lobby, const struct lobby_connection *connection);

/* backlog.c: it has a route and the start of its turn. */
void lobby_backlog_add(struct coppice_lobby *lobby, struct lobby_request *request);
void lobby_backlog_remove(struct coppice_lobby *lobby, struct lobby_request *request);
/* The one whose turn is next, of those that may run now; it stays there. NULL: there is none. */
struct lobby_request *lobby_backlog_next(struct coppice_lobby *lobby);
/* The one whose turn is last, of those that nobody has given up. NULL: there is none. */
struct lobby_request *lobby_backlog_last(const struct coppice_lobby *lobby);

/* board.c: when its worker began, as the board says; 0: unknown. */
int64_t lobby_seat_started_ms(const struct coppice_lobby *lobby, const struct lobby_request *request);
/* When that has to be done; 0: never. */
int64_t lobby_seat_deadline_ms(const struct coppice_lobby *lobby, const struct lobby_request *request);

/* output_blocks.c: what a client does not take yet. */
struct lobby_output *lobby_output_begin(struct coppice_lobby *lobby, struct lobby_connection *connection);
bool lobby_output_keep_in_blocks(struct coppice_lobby *lobby, struct lobby_output *output, const char *bytes,
                                 size_t length);
void lobby_output_close_spill(struct coppice_lobby *lobby, struct lobby_output *output);
int lobby_output_parts(const struct coppice_lobby *lobby, const struct lobby_output *output, struct iovec *parts,
                       int capacity);
void lobby_output_sent(struct coppice_lobby *lobby, struct lobby_output *output, size_t bytes);
void lobby_output_release(struct coppice_lobby *lobby, struct lobby_connection *connection);

/* output_room.c: whether more of it can be kept, and where. */
bool lobby_output_has_room(const struct coppice_lobby *lobby, const struct lobby_connection *connection);
/* Answers have not used up buffer_disk_limit; the file system may be full nevertheless. */
bool lobby_output_within_limits(const struct coppice_lobby *lobby);
/* Nothing more can be kept for clients that have much already, and it would be otherwise without some of them. */
bool lobby_output_short_of_room(const struct coppice_lobby *lobby);
bool lobby_output_cut_helps(const struct coppice_lobby *lobby, const struct lobby_output *output);
bool lobby_output_keep(struct coppice_lobby *lobby, struct lobby_output *output, const char *bytes, size_t length);

/* The seat is to be looked at in this turn. */
static inline void lobby_seat_look(uint32_t seat) {
    lobby_process.ready[seat / 64] |= UINT64_C(1) << (seat % 64);
}

#endif
