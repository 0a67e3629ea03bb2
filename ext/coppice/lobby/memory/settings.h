#ifndef COPPICE_LOBBY_SETTINGS_H
#define COPPICE_LOBBY_SETTINGS_H

/* What the monitor sets for the lobby, once: lines "name value" of its packet `start`. */

#include <stdbool.h>
#include <stdint.h>

#include "http/http.h"
#include "shared/trusted_networks.h"

enum { LOBBY_LISTENERS = 64, LOBBY_PATH_BYTES = 1024, LOBBY_HANDSHAKES_PATH_BYTES = 65 };
enum { LOBBY_AVOIDED_ROUTES = 32 };

struct lobby_settings {
    uint64_t board_offset; /* in bytes: of the lobby's own cells */
    uint32_t board_cells;
    uint64_t seen; /* in bytes: where the loop notes that it runs; 0: nowhere */
    uint32_t slots;
    uint32_t max_connections;
    uint32_t max_connections_per_client; /* 0: any number */
    uint32_t max_waiting;
    int64_t keepalive_timeout_ms, trusted_keepalive_timeout_ms;
    int64_t client_header_timeout_ms, client_body_timeout_ms, client_write_timeout_ms;
    int64_t queue_timeout_ms; /* 0: none */
    int64_t client_min_rate; /* bytes in a second; 0 for any */
    struct coppice_http_limits head;
    uint32_t max_header_count;
    uint64_t max_body_bytes; /* UINT64_MAX for any */
    bool retry_lost_requests, request_buffering, accept_order_fair;
    bool access_log, access_log_json;
    uint64_t response_buffer, buffer_disk_limit;
    char buffer_directory[LOBBY_PATH_BYTES];
    uint32_t listeners;
    bool proxy_protocol[LOBBY_LISTENERS];
    bool https[LOBBY_LISTENERS]; /* its clients use TLS to the proxy */
    bool borrowed[LOBBY_LISTENERS]; /* who waits there is left to the next server */
    struct coppice_trusted_networks trusted_proxies;
};

/* Reads the lines. Answers NULL, or the line that is wrong, which it has ended with a NUL. `text` ends with one, and is
 * changed. */
const char *lobby_settings_read(struct lobby_settings *settings, char *text);

#endif
