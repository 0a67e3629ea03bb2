/* Bytes of an answer that the client does not take yet: in blocks, and beyond response_buffer in a file. */
#include <string.h>
#include <unistd.h>

#include "shared/socket_io.h"
#include "lobby/parts.h"

enum {
    RESERVE_BLOCKS = 2 * COPPICE_RING_BYTES / (16 * 1024), /* a whole ring's bytes always find room */
    SPILL_BYTES = 2 * COPPICE_RING_BYTES /* of the directory: a ring's bytes, and what the file system adds */
};

static struct lobby_output_block *block_at(const struct coppice_lobby *lobby, uint32_t block) {
    return (struct lobby_output_block *)(void *)coppice_block_pool_at(lobby->blocks, block);
}

static uint32_t block_capacity(const struct coppice_lobby *lobby) {
    return lobby->blocks->block_bytes - (uint32_t)sizeof(struct lobby_output_block);
}

/* Clients that read slowly leave a quarter to the bodies of others. */
static uint64_t spill_limit(const struct coppice_lobby *lobby) {
    return lobby->settings.disk_limit - lobby->settings.disk_limit / 4;
}

/* Bodies may use up the share of answers as well: what has no room at all waits, since it would be cut otherwise. */
bool lobby_output_within_limits(const struct coppice_lobby *lobby) {
    return lobby->spilled_bytes + COPPICE_RING_BYTES <= spill_limit(lobby) &&
           lobby->file_bytes + COPPICE_RING_BYTES <= lobby->settings.disk_limit;
}

/* Other processes may use up the file system. A file may be in memory although there is a directory. */
static bool may_spill(const struct coppice_lobby *lobby, const struct lobby_output *output) {
    int fd = output && output->spill >= 0 ? output->spill : lobby->directory_fd;
    return lobby_output_within_limits(lobby) && lobby_file_system_has_room(lobby, fd, SPILL_BYTES);
}

static bool blocks_left(const struct coppice_lobby *lobby) {
    return lobby->blocks->count - lobby->blocks->used >= RESERVE_BLOCKS;
}

/* Where answers never have a file, workers wait for their clients as long as memory is left. */
bool lobby_output_short_of_room(const struct coppice_lobby *lobby) {
    if (COPPICE_RING_BYTES > spill_limit(lobby)) return !blocks_left(lobby);
    return lobby_process.disk_full || !lobby_output_within_limits(lobby);
}

/* A whole answer that is kept in memory takes nothing that others need, unless memory is short: bodies may be what fills
 * the disk. */
bool lobby_output_cut_helps(const struct coppice_lobby *lobby, const struct lobby_output *output) {
    if (output->spill >= 0) return true;
    return output->buffered > 0 && (output->end == LOBBY_END_OPEN || !blocks_left(lobby));
}

/* For all that a ring may contain. A file that waits keeps what comes behind it waiting, even where the ring goes away:
 * bytes in memory would be sent before it. */
bool lobby_output_has_room(const struct coppice_lobby *lobby, const struct lobby_connection *connection) {
    const struct lobby_output *output = connection->output == LOBBY_NONE ? NULL : lobby_output_of(lobby, connection);
    if (output && output->file >= 0) return false;
    if (lobby_process.forced) return true;
    if (!output) return blocks_left(lobby) || may_spill(lobby, output);
    if (output->spill < 0 && output->buffered < lobby->settings.response_buffer && blocks_left(lobby)) return true;
    return may_spill(lobby, output);
}

struct lobby_output *lobby_output_begin(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    uint32_t block = coppice_block_pool_take(lobby->outputs);
    if (block == COPPICE_BLOCK_NONE) return NULL;
    struct lobby_output *output = (struct lobby_output *)(void *)coppice_block_pool_at(lobby->outputs, block);
    *output = (struct lobby_output){
        .first = LOBBY_NONE, .last = LOBBY_NONE, .spill = -1, .file = -1, .end = LOBBY_END_OPEN, .handover = -1};
    output->begun_ms = lobby_process.now_ms;
    coppice_wait_budget_reset(&output->budget, lobby->settings.write_timeout_ms);
    output->budget.queued = coppice_io_queued_bytes(connection->fd);
    connection->output = block;
    return output;
}

static void account(struct coppice_lobby *lobby, int64_t more) {
    lobby_count(lobby, LOBBY_buffered_bytes, more);
}

static struct lobby_output_block *append_block(struct coppice_lobby *lobby, struct lobby_output *output) {
    uint32_t number = coppice_block_pool_take(lobby->blocks);
    if (number == COPPICE_BLOCK_NONE) return NULL;
    struct lobby_output_block *block = block_at(lobby, number);
    block->next = LOBBY_NONE;
    block->from = block->to = 0;
    if (output->last == LOBBY_NONE)
        output->first = number;
    else
        block_at(lobby, output->last)->next = number;
    output->last = number;
    return block;
}

static bool keep_in_blocks(struct coppice_lobby *lobby, struct lobby_output *output, const char *bytes, size_t length) {
    while (length > 0) {
        struct lobby_output_block *block = output->last == LOBBY_NONE ? NULL : block_at(lobby, output->last);
        if (!block || block->to == block_capacity(lobby)) block = append_block(lobby, output);
        if (!block) return false;
        size_t room = block_capacity(lobby) - block->to, part = length < room ? length : room;
        memcpy(block->bytes + block->to, bytes, part);
        block->to += (uint32_t)part;
        output->buffered += part;
        account(lobby, (int64_t)part);
        bytes += part;
        length -= part;
    }
    return true;
}

static bool keep_in_file(struct coppice_lobby *lobby, struct lobby_output *output, const char *bytes, size_t length) {
    if (output->spill < 0) {
        output->spill_at = output->spill_end = 0;
        output->spill = lobby_file_create(lobby);
    }
    if (output->spill < 0 || !lobby_file_append(lobby, output->spill, bytes, length)) return false;
    output->spill_end += length;
    lobby->spilled_bytes += length;
    return true;
}

void lobby_output_close_spill(struct coppice_lobby *lobby, struct lobby_output *output) {
    if (output->spill < 0) return;
    lobby->spilled_bytes -= output->spill_end;
    lobby_file_close(lobby, &output->spill, output->spill_end);
}

bool lobby_output_keep(struct coppice_lobby *lobby, struct lobby_output *output, const char *bytes, size_t length) {
    bool memory = output->spill < 0 && output->buffered < lobby->settings.response_buffer && blocks_left(lobby);
    if (memory) return keep_in_blocks(lobby, output, bytes, length);
    if (output->spill >= 0 || may_spill(lobby, output)) return keep_in_file(lobby, output, bytes, length);
    return keep_in_blocks(lobby, output, bytes, length);
}

int lobby_output_parts(const struct coppice_lobby *lobby, const struct lobby_output *output, struct iovec *parts,
                       int capacity) {
    int count = 0;
    for (uint32_t number = output->first; number != LOBBY_NONE && count < capacity;) {
        struct lobby_output_block *block = block_at(lobby, number);
        parts[count++] = (struct iovec){.iov_base = block->bytes + block->from, .iov_len = block->to - block->from};
        number = block->next;
    }
    return count;
}

static void release_first(struct coppice_lobby *lobby, struct lobby_output *output) {
    uint32_t number = output->first;
    output->first = block_at(lobby, number)->next;
    if (output->first == LOBBY_NONE) output->last = LOBBY_NONE;
    coppice_block_pool_give_back(lobby->blocks, number);
    lobby_process.room_made = true;
}

void lobby_output_sent(struct coppice_lobby *lobby, struct lobby_output *output, size_t bytes) {
    output->buffered -= bytes;
    account(lobby, -(int64_t)bytes);
    while (output->first != LOBBY_NONE) {
        struct lobby_output_block *block = block_at(lobby, output->first);
        uint32_t left = block->to - block->from;
        if (bytes < left) {
            block->from += (uint32_t)bytes;
            return;
        }
        bytes -= left;
        release_first(lobby, output);
    }
}

void lobby_output_release(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    if (connection->output == LOBBY_NONE) return;
    struct lobby_output *output = lobby_output_of(lobby, connection);
    account(lobby, -(int64_t)output->buffered);
    while (output->first != LOBBY_NONE) release_first(lobby, output);
    lobby_output_close_spill(lobby, output);
    if (output->file >= 0) close(lobby_forget_descriptor(&output->file));
    int32_t seat = output->handover;
    uint64_t serial = output->handover_serial;
    coppice_block_pool_give_back(lobby->outputs, connection->output);
    lobby_process.trims_left = LOBBY_TRIMS;
    connection->output = LOBBY_NONE;
    lobby_process.room_made = true;
    if (seat >= 0) lobby_seat_refuse(lobby, (uint32_t)seat, serial);
}
