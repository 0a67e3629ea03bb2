#ifndef COPPICE_LOBBY_ACCESS_LOG_H
#define COPPICE_LOBBY_ACCESS_LOG_H

/*
 * The access log: one line for each answer. Lines wait here until they are flushed, and are written without waiting for
 * the reader: those that find no room are dropped and counted. It lies in memory that outlives its process, and
 * contains no pointers.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/http.h"
#include "lobby_address.h"
#include "request_ids.h"
#include "trusted_networks.h"

enum {
    COPPICE_ACCESS_LINE_BYTES = 4096, /* PIPE_BUF: a pipe takes so many bytes in one piece */
    COPPICE_ACCESS_BUFFER_BYTES = 16 * COPPICE_ACCESS_LINE_BYTES
};

struct coppice_access_text {
    const char *bytes;
    size_t length; /* 0: left out */
};

struct coppice_access_entry {
    int64_t time_ms; /* since 1970 */
    struct coppice_lobby_address client;
    struct coppice_access_text method, path, request_id; /* as the client sent them: any bytes */
    int status;     /* 0: no answer */
    uint64_t bytes; /* that were sent, with the head */
    int64_t queue_us, application_us; /* -1: left out */
    int worker;     /* -1: none, and no generation */
    uint32_t generation;
    const char *cause; /* of a failure, or NULL */
};

enum coppice_access_format { COPPICE_ACCESS_TEXT, COPPICE_ACCESS_JSON };

struct coppice_access_log {
    int fd; /* -1: none */
    bool regular; /* it is a regular file */
    enum coppice_access_format format;
    uint64_t dropped; /* lines */
    size_t used;
    bool begun; /* the first bytes are the rest of a line */
    char buffer[COPPICE_ACCESS_BUFFER_BYTES];
};

void coppice_access_log_init(struct coppice_access_log *log, int fd, enum coppice_access_format format);
void coppice_access_log_add(struct coppice_access_log *log, const struct coppice_access_entry *entry);
/* Writes as much as can be written without waiting. To be called once for many lines. Answers whether nothing is left. */
bool coppice_access_log_flush(struct coppice_access_log *log);
/* Goes on with another descriptor; answers the old one, which is the caller's to close. What could not be written to
 * the old one goes to the new one. */
int coppice_access_log_reopen(struct coppice_access_log *log, int fd);

/* Gives a request an ID where its client has sent none; `id` is empty else, and where the kernel has no random bytes. */
void coppice_access_identify(struct coppice_request_ids *ids, const struct coppice_request_head *head,
                             const char *bytes, char *id);
/* What a head says of its request, and that ID, or the one that was sent. The client of the entry is the peer until
 * then. */
void coppice_access_describe(struct coppice_access_entry *entry, const struct coppice_request_head *head,
                             const char *bytes, const struct coppice_trusted_networks *trusted, const char *id);

/* Writes a line of at most COPPICE_ACCESS_LINE_BYTES bytes, with its line end; answers how many. Nothing from a client
 * can end the line or look like another field; what is too long is cut and ends with "...". */
size_t coppice_access_line(char *line, enum coppice_access_format format, const struct coppice_access_entry *entry);

#endif
