/* Blocks for bytes of requests that are not complete: the state of the parser, the parsed head, the bytes. */
#include <string.h>

#include "memory.h"

static struct coppice_block_pool *pool_of(const struct coppice_lobby *lobby,
                                          const struct lobby_connection *connection) {
    return connection->flags & LOBBY_LARGE ? lobby->large : lobby->small;
}

static uint32_t capacity_of(const struct coppice_lobby *lobby, bool large) {
    return (large ? lobby->large : lobby->small)->block_bytes - lobby->intake_overhead;
}

static bool take_block(struct coppice_lobby *lobby, struct lobby_connection *connection, size_t bytes) {
    bool large = bytes > capacity_of(lobby, false);
    uint32_t block = coppice_block_pool_take(large ? lobby->large : lobby->small);
    if (block == COPPICE_BLOCK_NONE || bytes > capacity_of(lobby, large)) return false;
    connection->intake = block;
    if (large)
        connection->flags |= LOBBY_LARGE;
    else
        connection->flags &= (uint16_t)~LOBBY_LARGE;
    return true;
}

static void begin(struct coppice_lobby *lobby, struct lobby_intake *intake) {
    coppice_http_parser_init(&intake->parser, &lobby->settings.head, &intake->head, lobby->settings.max_header_count);
    intake->file = -1;
    intake->file_length = 0;
    intake->body_length = 0;
    intake->body_remaining = 0;
    intake->head_complete = intake->body_complete = false;
}

struct lobby_intake *lobby_intake_take(struct coppice_lobby *lobby, struct lobby_connection *connection, size_t bytes) {
    if (!take_block(lobby, connection, bytes)) return NULL;
    struct lobby_intake *intake = lobby_intake_of(lobby, connection);
    uint32_t capacity = capacity_of(lobby, connection->flags & LOBBY_LARGE);
    /* What is gathered here has to fit into a slot. */
    intake->capacity = capacity < lobby->slot_capacity ? capacity : lobby->slot_capacity;
    intake->length = 0;
    begin(lobby, intake);
    return intake;
}

struct lobby_intake *lobby_intake_grow(struct coppice_lobby *lobby, struct lobby_connection *connection, size_t bytes) {
    struct lobby_intake *small = lobby_intake_of(lobby, connection);
    if (bytes <= small->capacity) return small;
    if (connection->flags & LOBBY_LARGE) return NULL;
    uint32_t block = connection->intake;
    if (!take_block(lobby, connection, bytes)) return NULL;
    struct lobby_intake *large = lobby_intake_of(lobby, connection);
    memcpy(large, small, lobby->intake_overhead + small->length);
    large->parser.head = &large->head;
    large->capacity = lobby->slot_capacity;
    coppice_block_pool_give_back(lobby->small, block);
    return large;
}

void lobby_intake_release(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    if (connection->intake == LOBBY_NONE) return;
    lobby_upload_leave(lobby, connection);
    struct lobby_intake *intake = lobby_intake_of(lobby, connection);
    if (intake->file >= 0) lobby_file_close(lobby, &intake->file, intake->file_length);
    coppice_block_pool_give_back(pool_of(lobby, connection), connection->intake);
    connection->intake = LOBBY_NONE;
    lobby_process.trims_left = LOBBY_TRIMS;
    connection->flags &= (uint16_t)~LOBBY_LARGE;
}

void lobby_intake_restart(struct coppice_lobby *lobby, struct lobby_intake *intake, size_t used) {
    char *bytes = lobby_intake_bytes(lobby, intake);
    intake->length -= (uint32_t)used;
    memmove(bytes, bytes + used, intake->length);
    begin(lobby, intake);
}

struct iovec lobby_surplus(const struct coppice_lobby *lobby, const struct lobby_connection *connection) {
    if (connection->intake == LOBBY_NONE) return (struct iovec){.iov_len = 0};
    struct lobby_intake *intake = lobby_intake_of(lobby, connection);
    return (struct iovec){.iov_base = lobby_intake_bytes(lobby, intake), .iov_len = intake->length};
}
