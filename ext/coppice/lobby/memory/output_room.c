/* Where bytes are kept that a client does not take yet: in blocks, and beyond response_buffer in a file. */
#include "memory.h"

enum {
    RESERVE_BLOCKS = 2 * COPPICE_RING_BYTES / (16 * 1024), /* a whole ring's bytes always find room */
    SPILL_BYTES = 2 * COPPICE_RING_BYTES /* of the directory: a ring's bytes, and what the file system adds */
};

/* Clients that read slowly leave a quarter to the bodies of others. */
static uint64_t spill_limit(const struct coppice_lobby *lobby) {
    return lobby->settings.buffer_disk_limit - lobby->settings.buffer_disk_limit / 4;
}

/* Bodies may use up the share of answers as well: what has no room at all waits, since it would be cut otherwise. */
bool lobby_output_within_limits(const struct coppice_lobby *lobby) {
    return lobby->spilled_bytes + COPPICE_RING_BYTES <= spill_limit(lobby) &&
           lobby->file_bytes + COPPICE_RING_BYTES <= lobby->settings.buffer_disk_limit;
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

bool lobby_output_keep(struct coppice_lobby *lobby, struct lobby_output *output, const char *bytes, size_t length) {
    bool memory = output->spill < 0 && output->buffered < lobby->settings.response_buffer && blocks_left(lobby);
    if (memory) return lobby_output_keep_in_blocks(lobby, output, bytes, length);
    if (output->spill >= 0 || may_spill(lobby, output)) return keep_in_file(lobby, output, bytes, length);
    return lobby_output_keep_in_blocks(lobby, output, bytes, length);
}
