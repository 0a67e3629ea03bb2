#ifndef COPPICE_LOBBY_PARTS_H
#define COPPICE_LOBBY_PARTS_H

/* What the files of the loop offer to each other. */

#include <sys/uio.h>

#include "lobby/memory/lobby.h"

/* arena.c: maps everything, seals what workers may not change. NULL after a log packet. descriptors: those of `start`.
 * */
struct coppice_lobby *lobby_create(const struct lobby_settings *settings, int channel_fd, const int *descriptors);
/* takeover.c: makes free lists, timers and accounts again from the records, of a fresh lobby as of one whose loop died.
 * */
void lobby_rebuild(struct coppice_lobby *lobby);

/* strays.c */
void lobby_close_strays(const struct coppice_lobby *lobby);

/* loop.c: serves until the end; the exit status. */
int coppice_lobby_loop(struct coppice_lobby *lobby);
void lobby_read_clock(const struct coppice_lobby *lobby);
void lobby_keeper_died(struct coppice_lobby *lobby);

/* channel.c. A packet that finds the channel full is dropped. */
enum lobby_log_level { LOBBY_DEBUG, LOBBY_INFO, LOBBY_WARN, LOBBY_ERROR };
void lobby_tell(int channel_fd, const char *text);
void lobby_log(const struct coppice_lobby *lobby, enum lobby_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reads what the monitor has sent, until there is no more. */
void lobby_channel_read(struct coppice_lobby *lobby);

/* packets.c */
bool lobby_packet_send(int fd, struct iovec *parts, size_t count, int descriptor);
/* One packet, without waiting: its length, 0 at the end of the channel, -1 and errno. */
ssize_t lobby_packet_receive(int fd, char *bytes, size_t capacity, int *descriptors, int capacity_descriptors,
                             int *count);

/* spare_descriptors.c: open again what was lent, before anything else takes a descriptor. */
void lobby_reserve_open(struct coppice_lobby *lobby);
void lobby_spares_begin(struct coppice_lobby *lobby);
bool lobby_spares_open(struct coppice_lobby *lobby);
void lobby_spares_lend(struct coppice_lobby *lobby, int count);

/* registration.c: what epoll says of whom. */
enum lobby_source { LOBBY_CHANNEL, LOBBY_EVENT, LOBBY_KEEPER, LOBBY_LISTENER, LOBBY_SEAT, LOBBY_CONNECTION };
bool lobby_watch(const struct coppice_lobby *lobby, int fd, enum lobby_source source, uint32_t index, uint32_t events);
bool lobby_register(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_unregister(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_handle_event(struct coppice_lobby *lobby, uint64_t tag, uint32_t events);

/* listeners.c */
bool lobby_accept(struct coppice_lobby *lobby, uint32_t listener);
void lobby_close_listeners(struct coppice_lobby *lobby);
void lobby_listen(struct coppice_lobby *lobby);
struct sockaddr_storage;
void lobby_read_address(struct coppice_lobby_address *address, const struct sockaddr_storage *socket);

/* connection.c */
/* Takes it in hand; NULL where there are max_connections. */
struct lobby_connection *lobby_open(struct coppice_lobby *lobby, int fd);
void lobby_list_append(struct coppice_lobby *lobby, struct lobby_list *list, struct lobby_connection *connection);
void lobby_list_remove(struct coppice_lobby *lobby, struct lobby_list *list, const struct lobby_connection *connection);
/* How long an idle connection of this client may stay open; 0: not at all. */
int64_t lobby_keepalive_ms(const struct coppice_lobby *lobby, const struct lobby_connection *connection);
/* Its answer is sent to the end: idle, or its next request, or its end. */
void lobby_answered(struct coppice_lobby *lobby, struct lobby_connection *connection, enum lobby_end end);
/* The client is gone, or is to go: whatever it has is given back. */
void lobby_close(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_reset(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_linger(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_discard(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_client_gone(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_leave_idle(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* Closes the one that is idle for longest, or one that lingers; false without any. */
bool lobby_evict(struct coppice_lobby *lobby);
void lobby_arm(struct coppice_lobby *lobby, struct lobby_connection *connection, int64_t due_ms);
void lobby_disarm(struct coppice_lobby *lobby, struct lobby_connection *connection);

/* clients.c: how many connections each client has. */
uint32_t lobby_clients_size(uint32_t max_connections);
size_t lobby_clients_bytes(uint32_t size);
/* False when it has as many as it may. */
bool lobby_client_enter(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_client_leave(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_clients_clear(struct coppice_lobby *lobby);

/* proxied.c: takes the PROXY header, where one is due, from the front of the connection's bytes. */
enum lobby_proxied { LOBBY_PROXIED, LOBBY_PROXY_INCOMPLETE, LOBBY_PROXY_REFUSED };
enum lobby_proxied lobby_take_proxy_header(struct coppice_lobby *lobby, struct lobby_connection *connection,
                                           char *bytes, size_t *length);

/* access_entries.c: what is known of a request. */
void lobby_identify(struct coppice_lobby *lobby, struct coppice_lobby_slot *slot);
/* Once for each request, which is NULL when it was refused before it was whole. */
void lobby_log_access(struct coppice_lobby *lobby, const struct lobby_connection *connection,
                      struct lobby_request *request, int status, uint64_t bytes, const char *cause);
void lobby_flush_access_log(struct coppice_lobby *lobby);
void lobby_reopen_access_log(struct coppice_lobby *lobby, int fd);

/* intake.c: bytes of a client become a request. */
void lobby_read(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* Goes on with bytes that are in its block already. */
void lobby_read_buffered(struct coppice_lobby *lobby, struct lobby_connection *connection);

/* intake_blocks.c */
struct lobby_intake *lobby_intake_take(struct coppice_lobby *lobby, struct lobby_connection *connection, size_t bytes);
/* Moves what is there to a block with room for so many bytes; NULL without one. */
struct lobby_intake *lobby_intake_grow(struct coppice_lobby *lobby, struct lobby_connection *connection, size_t bytes);
void lobby_intake_release(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* What the client has sent beyond its request. */
struct iovec lobby_surplus(const struct coppice_lobby *lobby, const struct lobby_connection *connection);
/* Drops the first request's bytes, for the next one. */
void lobby_intake_restart(struct coppice_lobby *lobby, struct lobby_intake *intake, size_t used);

/* body.c: the head in the block is complete. Goes on with the bytes behind it; without a body this is the end. */
void lobby_body_begin(struct coppice_lobby *lobby, struct lobby_connection *connection);
bool lobby_body_read(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* Its timer has fired. */
void lobby_body_waited(struct coppice_lobby *lobby, struct lobby_connection *connection);
bool lobby_body_too_large(const struct coppice_lobby *lobby, const struct coppice_request_head *head);

/* uploads.c: clients whose body goes to a file. False: this one's does not. */
bool lobby_upload_enter(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_upload_leave(struct coppice_lobby *lobby, struct lobby_connection *connection);
bool lobby_uploads_due(const struct coppice_lobby *lobby);
void lobby_read_uploads(struct coppice_lobby *lobby);

/* files.c: a file that has no name; -1 after a log packet. */
int lobby_file_create(struct coppice_lobby *lobby);
/* Whether the file system of an open file or directory can take so much, which disk_full remembers; false after a log
 * packet. */
bool lobby_file_system_has_room(const struct coppice_lobby *lobby, int fd, uint64_t bytes);
/* False after a log packet: there is no room. */
bool lobby_file_append(struct coppice_lobby *lobby, int fd, const char *bytes, size_t length);
void lobby_file_close(struct coppice_lobby *lobby, int32_t *place, uint64_t bytes);
/* Puts -1 in its place and answers it, to be closed then: a successor of this loop must not close the number a second
 * time, which may be somebody else's by then. */
int lobby_forget_descriptor(int32_t *place);

/* dispatch.c */
struct lobby_arrival {
    uint32_t slot, length;
    uint64_t body_length;
    uint32_t flags;
    int file;
    uint64_t file_bytes;
};
/* Puts the request in this slot into the queue, or answers 503. */
void lobby_push(struct coppice_lobby *lobby, struct lobby_connection *connection, const struct lobby_arrival *arrival);
/* Whether it would answer 503. */
bool lobby_full(const struct coppice_lobby *lobby);
void lobby_push_again(struct coppice_lobby *lobby, struct lobby_request *request);
void lobby_queue_timed_out(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_wake_workers(struct coppice_lobby *lobby);
void lobby_wake_again(struct coppice_lobby *lobby);
/* For how long the first request in the queue has waited; 0: none waits. */
int64_t lobby_longest_wait_ms(const struct coppice_lobby *lobby);
void lobby_check_queue(struct coppice_lobby *lobby);

/* heir.c: a seat that is not used, for none. */
void lobby_heir_is(struct coppice_lobby *lobby, uint32_t number);
/* Lines "route METHOD PATH". */
void lobby_heir_avoids(struct coppice_lobby *lobby, const char *lines);
bool lobby_spares_heir(const struct coppice_lobby *lobby, const struct coppice_lobby_slot *slot, const char *bytes);

/* handshakes.c: takes the descriptor; -1: nobody gets them. The path is empty where none are told from others. */
void lobby_handshakes_to(struct coppice_lobby *lobby, const char *path, int fd);
bool lobby_is_handshake(const struct coppice_lobby *lobby, const struct coppice_lobby_slot *slot, const char *bytes);
/* False: the service is not there, or busy. */
bool lobby_pass_handshake(struct coppice_lobby *lobby, struct lobby_connection *connection,
                          const struct lobby_arrival *arrival);

/* requests.c: the slot that will be used next; the spare one when all are taken. */
uint32_t lobby_slot_next(const struct coppice_lobby *lobby);
bool lobby_slot_is_spare(const struct coppice_lobby *lobby, uint32_t slot);
struct lobby_request *lobby_slot_take(struct coppice_lobby *lobby);
void lobby_slot_release(struct coppice_lobby *lobby, uint32_t slot);
bool lobby_method_is(const struct coppice_lobby_slot *slot, const char *bytes, const char *name);
/* The value of the first header line with this name, in lower case; without one an empty span. */
struct coppice_span lobby_field(const struct coppice_lobby_slot *slot, const char *bytes, const char *name);
uint32_t lobby_slot_of(const struct coppice_lobby *lobby, const struct lobby_request *request);
struct lobby_request *lobby_request_of(const struct coppice_lobby *lobby, uint64_t serial);
/* The seat that has it, COPPICE_QUEUE_UNOWNED and the like. */
int lobby_owner_of(const struct coppice_lobby *lobby, struct lobby_request *request);
/* Takes it back from the queue and frees its slot; false when a worker has it. */
bool lobby_request_withdraw(struct coppice_lobby *lobby, struct lobby_request *request);
/* Nobody will get the answer any more: takes it back, or lets its worker know. */
void lobby_request_drop(struct coppice_lobby *lobby, struct lobby_connection *connection);

/* answers.c */
void lobby_read_answers(struct coppice_lobby *lobby);
void lobby_read_ring(struct coppice_lobby *lobby, uint32_t seat);
void lobby_seat_look(uint32_t seat);

/* output.c: bytes for a client. */
bool lobby_output_has_room(const struct coppice_lobby *lobby, const struct lobby_connection *connection);
/* Answers have not used up buffer_disk_limit; the file system may be full nevertheless. */
bool lobby_output_within_limits(const struct coppice_lobby *lobby);
/* Nothing more can be kept for clients that have much already, and it would be otherwise without some of them. */
bool lobby_output_short_of_room(const struct coppice_lobby *lobby);
bool lobby_output_cut_helps(const struct coppice_lobby *lobby, const struct lobby_output *output);
/* Sends them, and keeps what the client does not take. False: it is closed. */
bool lobby_output_write(struct coppice_lobby *lobby, struct lobby_connection *connection, const struct iovec *parts,
                        int count, bool more_follows);
bool lobby_output_file(struct coppice_lobby *lobby, struct lobby_connection *connection, int file,
                       const struct coppice_record_file *place);
/* Sends what is kept; false: it is closed. */
bool lobby_output_flush(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* Its timer has fired. */
void lobby_output_waited(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* There is no room for other answers: resets the connection if it reads slower than client_min_rate. */
void lobby_output_cut_slow(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* Bytes in a second that the client has taken since it did not take all at once. */
int64_t lobby_output_rate(const struct lobby_output *output);
/* Resets it: it is too slow. */
void lobby_output_cut(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_output_release(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* After the last byte. */
void lobby_output_end(struct coppice_lobby *lobby, struct lobby_connection *connection, enum lobby_end end);

/* output_blocks.c */
struct lobby_output *lobby_output_begin(struct coppice_lobby *lobby, struct lobby_connection *connection);
void lobby_output_close_spill(struct coppice_lobby *lobby, struct lobby_output *output);
bool lobby_output_keep(struct coppice_lobby *lobby, struct lobby_output *output, const char *bytes, size_t length);
int lobby_output_parts(const struct coppice_lobby *lobby, const struct lobby_output *output, struct iovec *parts,
                       int capacity);
void lobby_output_sent(struct coppice_lobby *lobby, struct lobby_output *output, size_t bytes);

/* refusal.c: an answer of the lobby's own, then the end of the connection. */
void lobby_refuse(struct coppice_lobby *lobby, struct lobby_connection *connection, int status, const char *reason);
/* For a request that is no longer the connection's, or NULL. */
void lobby_refuse_request(struct coppice_lobby *lobby, struct lobby_connection *connection,
                          struct lobby_request *request, int status, const char *reason);
/* For the request whose head is complete in this slot, and which is not queued. */
void lobby_refuse_arrived(struct coppice_lobby *lobby, struct lobby_connection *connection, uint32_t slot, int status,
                          const char *reason);
/* It has as many connections as it may. */
void lobby_refuse_client(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* The same to a client that has no connection here. */
void lobby_refuse_fd(int fd, int status, const char *reason);

/* seats.c */
void lobby_seat_add(struct coppice_lobby *lobby, uint32_t number, const struct lobby_seat *seat);
void lobby_seat_gone(struct coppice_lobby *lobby, uint32_t number, bool retry, bool timed_out);
/* Its worker has closed the socket. As long as there is a monitor, that one tells what became of it. */
void lobby_seat_left(struct coppice_lobby *lobby, uint32_t number);
/* The monitor is gone: finds the workers that have left before. */
void lobby_seats_without_monitor(struct coppice_lobby *lobby);
bool lobby_seat_map(struct coppice_lobby *lobby, uint32_t number);
void lobby_seat_break(struct coppice_lobby *lobby, uint32_t number, const char *why);
/* The request has a connection. */
void lobby_request_fail(struct coppice_lobby *lobby, struct lobby_request *request, int status, const char *reason);
void lobby_seats_tell_faults(const struct coppice_lobby *lobby);
void lobby_seat_wake(const struct coppice_lobby *lobby, uint32_t number);
void lobby_seat_link(struct coppice_lobby *lobby, uint32_t number);
void lobby_seat_prefer(struct coppice_lobby *lobby, uint32_t number, bool first);
void lobby_seat_rested(struct coppice_lobby *lobby, uint32_t number);

/* seat_socket.c */
void lobby_seat_read(struct coppice_lobby *lobby, uint32_t number);
/* Everything that was answered is sent: the worker gets the client. */
void lobby_hand_over(struct coppice_lobby *lobby, struct lobby_connection *connection, uint32_t seat, uint64_t serial);
/* There is no such request or client. */
void lobby_seat_refuse(struct coppice_lobby *lobby, uint32_t number, uint64_t serial);

/* slow_readers.c: while there is no room for more answers, cuts readers that keep others waiting. */
void lobby_cut_slow_readers(struct coppice_lobby *lobby);

/* timeouts.c */
void lobby_expire(struct coppice_lobby *lobby);
int64_t lobby_seat_started_ms(const struct coppice_lobby *lobby, const struct lobby_request *request);
void lobby_tick(struct coppice_lobby *lobby);
int lobby_wait_ms(const struct coppice_lobby *lobby);

#endif
