/* Descriptors whose numbers are in records. */
#include <unistd.h>

#include "memory.h"

int lobby_forget_descriptor(int32_t *place) {
    int fd = *place;
    *place = -1;
    return fd;
}

void lobby_file_close(struct coppice_lobby *lobby, int32_t *place, uint64_t bytes) {
    int fd = lobby_forget_descriptor(place);
    if (fd >= 0) close(fd);
    lobby->file_bytes = lobby->file_bytes > bytes ? lobby->file_bytes - bytes : 0;
    lobby_count_to(lobby->counters, LOBBY_file_bytes, (int64_t)lobby->file_bytes);
    lobby_process.room_made = true;
}
