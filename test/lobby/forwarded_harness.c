#include "forwarded_harness.h"

#include <string.h>
#include <sys/socket.h>

#include "check.h"

enum { MOST_FIELDS = 64 };

static const char name[] = "X-Forwarded-For";

/* The name lies at the front of the bytes, the values behind it. */
static void add_field(struct coppice_request_head *head, const char *at, const char *from, const char *end) {
    if (head->field_count == MOST_FIELDS) return;
    head->fields[head->field_count++] = (struct coppice_field){
        .name = {.offset = 0, .length = sizeof(name) - 1},
        .value = {.offset = (uint32_t)(from - at), .length = (uint32_t)(end - from)}};
}

static void add_fields(struct coppice_request_head *head, const char *bytes, size_t size) {
    const char *from = bytes + sizeof(name) - 1, *end;
    while ((end = memchr(from, '\n', (size_t)(bytes + size - from)))) {
        add_field(head, bytes, from, end);
        from = end + 1;
    }
    add_field(head, bytes, from, bytes + size);
}

struct coppice_lobby_address harness_forwarded_for(const char *input, size_t length,
                                                   const struct coppice_lobby_address *peer) {
    static struct coppice_trusted_networks trusted, nobody;
    struct coppice_request_head *head = calloc(1, coppice_request_head_size(MOST_FIELDS));
    size_t size = sizeof(name) - 1 + length;
    char *bytes = malloc(size); /* exactly as long: a byte more is an error */
    if (trusted.count == 0) {
        CHECK(coppice_trusted_networks_add(&trusted, "10.0.0.0/8"));
        CHECK(coppice_trusted_networks_add(&trusted, "fd00::/8"));
    }
    memcpy(bytes, name, sizeof(name) - 1);
    if (length) memcpy(bytes + sizeof(name) - 1, input, length);
    add_fields(head, bytes, size);
    struct coppice_lobby_address client = coppice_forwarded_for(head, bytes, &trusted, peer);
    struct coppice_lobby_address stranger = coppice_forwarded_for(head, bytes, &nobody, peer);
    CHECK(peer->family == AF_UNIX || memcmp(&stranger, peer, sizeof(stranger)) == 0);
    free(bytes);
    free(head);
    return client;
}
