#include "settings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { UINT32, INT64, UINT64, BOOL };

/* Each has the name of its option of the configuration, times with their unit. */
static const struct setting {
    const char *name;
    enum kind kind;
    size_t offset;
} known[] = {
#define KIND(member)                                                                                                   \
    _Generic(((struct lobby_settings *)NULL)->member, uint32_t: UINT32, int64_t: INT64, uint64_t: UINT64, bool: BOOL)
#define NAMED(name, member) {name, KIND(member), offsetof(struct lobby_settings, member)}
#define SETTING(name) NAMED(#name, name)
    SETTING(seen),
    SETTING(slots),
    SETTING(max_connections),
    SETTING(max_connections_per_client),
    SETTING(max_waiting),
    SETTING(keepalive_timeout_ms),
    SETTING(trusted_keepalive_timeout_ms),
    SETTING(client_header_timeout_ms),
    SETTING(client_body_timeout_ms),
    SETTING(client_write_timeout_ms),
    SETTING(queue_timeout_ms),
    SETTING(client_min_rate),
    NAMED("max_request_line_bytes", head.request_line_bytes),
    NAMED("max_header_bytes", head.header_bytes),
    SETTING(max_header_count),
    SETTING(max_body_bytes), /* -1: any, which is the greatest number */
    SETTING(retry_lost_requests),
    SETTING(request_buffering),
    SETTING(accept_order_fair),
    SETTING(response_buffer),
    SETTING(buffer_disk_limit),
    SETTING(listeners),
#undef SETTING
#undef NAMED
#undef KIND
};

static bool number(const char *text, int64_t *value, char **end) {
    errno = 0;
    *value = strtoll(text, end, 10);
    return *end != text && errno == 0;
}

static bool store(struct lobby_settings *settings, const struct setting *setting, const char *text) {
    char *end;
    int64_t value;
    if (!number(text, &value, &end) || *end != '\0') return false;
    void *place = (char *)settings + setting->offset;
    switch (setting->kind) {
    case UINT32:
        if (value < 0 || value > INT_MAX) return false;
        *(uint32_t *)place = (uint32_t)value;
        return true;
    case INT64:
        *(int64_t *)place = value;
        return value >= 0;
    case UINT64:
        *(uint64_t *)place = (uint64_t)value;
        return value >= -1;
    case BOOL:
        *(bool *)place = value == 1;
        return value == 0 || value == 1;
    }
    return false;
}

/* "INDEX proxy_protocol 0|1 https 0|1 borrowed 0|1" */
static bool read_listener(struct lobby_settings *settings, const char *text) {
    unsigned index, proxy_protocol, https, borrowed;
    int end = 0;
    int found = sscanf(text, "%u proxy_protocol %u https %u borrowed %u%n", &index, &proxy_protocol, &https, &borrowed,
                       &end);
    if (found != 4 || text[end] != '\0' || index >= LOBBY_LISTENERS) return false;
    settings->proxy_protocol[index] = proxy_protocol == 1;
    settings->https[index] = https == 1;
    settings->borrowed[index] = borrowed == 1;
    return proxy_protocol <= 1 && https <= 1 && borrowed <= 1;
}

static bool read_board_cells(struct lobby_settings *settings, const char *text) {
    char *end;
    int64_t offset, count;
    if (!number(text, &offset, &end) || *end != ' ' || !number(end, &count, &end) || *end != '\0') return false;
    if (offset < 0 || offset % 8 != 0 || count < 0 || count > INT_MAX) return false;
    settings->board_offset = (uint64_t)offset;
    settings->board_cells = (uint32_t)count;
    return true;
}

static bool read_access_log(struct lobby_settings *settings, const char *text) {
    settings->access_log = true;
    settings->access_log_json = strcmp(text, "json") == 0;
    return settings->access_log_json || strcmp(text, "text") == 0;
}

static bool read_directory(struct lobby_settings *settings, const char *text) {
    if (strlen(text) >= sizeof(settings->buffer_directory)) return false;
    strcpy(settings->buffer_directory, text);
    return true;
}

static bool read_line(struct lobby_settings *settings, char *name, char *value) {
    if (strcmp(name, "board_cells") == 0) return read_board_cells(settings, value);
    if (strcmp(name, "buffer_directory") == 0) return read_directory(settings, value);
    if (strcmp(name, "listener") == 0) return read_listener(settings, value);
    if (strcmp(name, "trusted_proxies") == 0) return coppice_trusted_networks_add(&settings->trusted_proxies, value);
    if (strcmp(name, "access_log") == 0) return read_access_log(settings, value);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(name, known[i].name) == 0) return store(settings, &known[i], value);
    }
    return false;
}

/* What memory is made from must not be nothing, nor beyond what a slot's number can name. */
static const char *incomplete(const struct lobby_settings *settings) {
    if (settings->slots == 0 || settings->slots > UINT16_MAX - 1) return "slots";
    if (settings->max_connections == 0) return "max_connections";
    if (settings->head.header_bytes == 0) return "max_header_bytes";
    if (settings->head.request_line_bytes == 0) return "max_request_line_bytes";
    if (settings->max_header_count == 0) return "max_header_count";
    if (settings->client_header_timeout_ms == 0) return "client_header_timeout_ms";
    if (settings->listeners > LOBBY_LISTENERS) return "listeners";
    return NULL;
}

const char *lobby_settings_read(struct lobby_settings *settings, char *text) {
    *settings = (struct lobby_settings){
        .max_body_bytes = UINT64_MAX, .request_buffering = true, .retry_lost_requests = true};
    while (*text) {
        char *line = text;
        text += strcspn(text, "\n");
        if (*text) *text++ = '\0';
        char *value = strchr(line, ' ');
        if (!value) return line;
        *value = '\0';
        if (!read_line(settings, line, value + 1)) return line;
    }
    return incomplete(settings);
}
