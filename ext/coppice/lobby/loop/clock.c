/* The time, read once for a batch. */
#include "shared/socket_io.h"
#include "loop.h"

/* Also tells the monitor that this loop runs. */
void lobby_read_clock(const struct coppice_lobby *lobby) {
    lobby_process.now_us = coppice_monotonic_us();
    lobby_process.now_ms = lobby_process.now_us / 1000;
    if (lobby->seen_ms) atomic_store_explicit(lobby->seen_ms, lobby_process.now_ms, memory_order_relaxed);
}
