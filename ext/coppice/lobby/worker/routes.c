/*
 * Requests of the routes that have made workers unfit to be forked wait for another worker than the heir, for a moment.
 * A route is a method, a blank and a path, in which * stands for one segment.
 */
#include <stdio.h>
#include <string.h>

#include "worker.h"

void lobby_heir_avoids(struct coppice_lobby *lobby, const char *lines) {
    lobby->avoided_count = 0;
    while (*lines && lobby->avoided_count < LOBBY_AVOIDED_ROUTES) {
        int length = (int)strcspn(lines, "\n");
        char *route = lobby->avoided[lobby->avoided_count];
        if (sscanf(lines, "route %128[^\n]", route) == 1) lobby->avoided_count++;
        lines += length + (lines[length] == '\n');
    }
}

/* The segment of the template at *at, against that of the path: where the latter ends, or NULL. */
static const char *pass_segment(const char **at, const char *path, const char *end) {
    size_t length = strcspn(*at, "/");
    const char *slash = memchr(path, '/', (size_t)(end - path));
    const char *stop = slash ? slash : end;
    bool any = length == 1 && **at == '*' && stop > path;
    bool same = length == (size_t)(stop - path) && memcmp(*at, path, length) == 0;
    *at += length;
    return any || same ? stop : NULL;
}

static bool path_fits(const char *template, const char *path, const char *end) {
    for (;;) {
        path = pass_segment(&template, path, end);
        if (!path) return false;
        if (path == end || *template == '\0') return path == end && *template == '\0';
        path++;
        template++;
    }
}

static bool route_fits(const char *route, const char *bytes, const struct coppice_request_head *head) {
    size_t method = strcspn(route, " ");
    if (route[method] == '\0' || head->method.length != method) return false;
    if (memcmp(bytes + head->method.offset, route, method) != 0) return false;
    const char *path = bytes + head->path.offset;
    return path_fits(route + method + 1, path, path + head->path.length);
}

bool lobby_spares_heir(const struct coppice_lobby *lobby, const struct coppice_lobby_slot *slot, const char *bytes) {
    for (uint32_t i = 0; i < lobby->avoided_count; i++) {
        if (route_fits(lobby->avoided[i], bytes, &slot->head)) return true;
    }
    return false;
}
