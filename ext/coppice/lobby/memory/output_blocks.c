/* Bytes of an answer that the client does not take yet: in blocks, then in a file, then the file of a worker. */
#include <string.h>
#include <unistd.h>

#include "shared/socket_io.h"
#include "memory.h"

static struct lobby_output_block *block_at(const struct coppice_lobby *lobby, uint32_t block) {
    return (struct lobby_output_block *)(void *)coppice_block_pool_at(lobby->blocks, block);
}

static uint32_t block_capacity(const struct coppice_lobby *lobby) {
    return lobby->blocks->block_bytes - (uint32_t)sizeof(struct lobby_output_block);
}

struct lobby_output *lobby_output_begin(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    uint32_t block = coppice_block_pool_take(lobby->outputs);
    if (block == COPPICE_BLOCK_NONE) return NULL;
    struct lobby_output *output = (struct lobby_output *)(void *)coppice_block_pool_at(lobby->outputs, block);
    *output = (struct lobby_output){
        .first = LOBBY_NONE, .last = LOBBY_NONE, .spill = -1, .file = -1, .end = LOBBY_END_OPEN};
    output->begun_ms = lobby_process.now_ms;
    coppice_wait_budget_reset(&output->budget, lobby->settings.client_write_timeout_ms);
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

bool lobby_output_keep_in_blocks(struct coppice_lobby *lobby, struct lobby_output *output, const char *bytes,
                                 size_t length) {
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

void lobby_output_close_spill(struct coppice_lobby *lobby, struct lobby_output *output) {
    if (output->spill < 0) return;
    lobby->spilled_bytes -= output->spill_end;
    lobby_file_close(lobby, &output->spill, output->spill_end);
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
    coppice_block_pool_give_back(lobby->outputs, connection->output);
    lobby_process.trims_left = LOBBY_TRIMS;
    connection->output = LOBBY_NONE;
    lobby_process.room_made = true;
}
