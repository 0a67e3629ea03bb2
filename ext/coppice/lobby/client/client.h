#ifndef COPPICE_LOBBY_CLIENT_H
#define COPPICE_LOBBY_CLIENT_H

/* What is done with a client's connection while the loop has it in hand. What follows is left as a wish. */

#include "lobby/memory/memory.h"

/* intake.c: bytes of a client become a request. */
void lobby_read(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* Goes on with bytes that are in its block already. */
void lobby_read_buffered(struct coppice_lobby *lobby, struct lobby_connection *connection);

/* proxied.c: takes the PROXY header, where one is due, from the front of the connection's bytes. */
enum lobby_proxied { LOBBY_PROXIED, LOBBY_PROXY_INCOMPLETE, LOBBY_PROXY_REFUSED };
enum lobby_proxied lobby_take_proxy_header(struct coppice_lobby *lobby, struct lobby_connection *connection,
                                           char *bytes, size_t *length);

/* body.c: the head in the block is complete. Goes on with the bytes behind it; without a body this is the end. */
void lobby_body_begin(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* Answers whether something came and was taken. */
bool lobby_body_read(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* Its timer has fired. */
void lobby_body_waited(struct coppice_lobby *lobby, struct lobby_connection *connection);

/* output.c: bytes for a client: sends them, and keeps what it does not take. */
void lobby_output_write(struct coppice_lobby *lobby, struct lobby_connection *connection, const struct iovec *parts,
                        int count, bool more_follows);
void lobby_output_file(struct coppice_lobby *lobby, struct lobby_connection *connection, int file,
                       const struct coppice_record_file *place);
/* After the last byte. */
void lobby_output_end(struct coppice_lobby *lobby, struct lobby_connection *connection, enum lobby_end end);
/* Sends what is kept. */
void lobby_output_flush(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* Its timer has fired. */
void lobby_output_waited(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* There is no room for other answers: it goes if it reads slower than client_min_rate. */
void lobby_output_cut_slow(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* Bytes in a second that the client has taken since it did not take all at once. */
int64_t lobby_output_rate(const struct lobby_output *output);
/* It is too slow. */
void lobby_output_cut(struct coppice_lobby *lobby);

/* answered.c: its answer is sent to the end: idle, or its next request, or its end. */
void lobby_answered(struct coppice_lobby *lobby, struct lobby_connection *connection, enum lobby_end end);
/* Reads what a client still sends that has its answer. */
void lobby_discard(struct coppice_lobby *lobby, struct lobby_connection *connection);
/* Ends it so that the client cannot take what it has for the whole answer. */
void lobby_reset(struct coppice_lobby *lobby, struct lobby_connection *connection);

/* refusal.c: an answer of the lobby's own, then the end of the connection. request: the one that it is for, or NULL. */
void lobby_refuse(struct coppice_lobby *lobby, struct lobby_connection *connection, struct lobby_request *request,
                  int status, const char *reason);
/* It has as many connections as it may. */
void lobby_refuse_client(const struct coppice_lobby *lobby);
/* A client for which there is no connection. */
void lobby_turn_away(const struct coppice_lobby *lobby, int fd);

#endif
