/*
 * A proxy appends the address of its own client. So the last item is as good as the word of the peer, and each other
 * item as that of the address to its right: a client that is not trusted may have invented everything to the left of
 * its address.
 */
#include "forwarded_for.h"

#include <string.h>
#include <sys/socket.h>

#include "http/http.h"

enum { PORT_DIGITS = 5 };

struct text {
    const char *bytes;
    size_t length;
};

static bool text_is(struct text text, const char *literal) {
    return text.length == strlen(literal) && memcmp(text.bytes, literal, text.length) == 0;
}

static bool is_blank(char byte) {
    return coppice_byte_is_blank((uint8_t)byte);
}

static struct text trimmed(struct text text) {
    while (text.length > 0 && is_blank(text.bytes[text.length - 1])) text.length--;
    while (text.length > 0 && is_blank(text.bytes[0])) {
        text.bytes++;
        text.length--;
    }
    return text;
}

/* Takes the last item off the list. */
static struct text take_last(struct text *list) {
    size_t at = list->length;
    while (at > 0 && list->bytes[at - 1] != ',') at--;
    struct text last = {list->bytes + at, list->length - at};
    list->length = at > 0 ? at - 1 : 0;
    return trimmed(last);
}

/* ":80", or nothing. */
static bool is_port(const char *bytes, size_t length) {
    if (length == 0) return true;
    if (bytes[0] != ':' || length == 1 || length > PORT_DIGITS + 1) return false;
    for (size_t i = 1; i < length; i++) {
        if (!coppice_byte_is_digit((uint8_t)bytes[i])) return false;
    }
    return true;
}

/* The address in "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]" or "[2001:db8::1]:80". */
static struct text without_port(struct text item) {
    struct text host = item;
    const char *end = NULL;
    if (item.length > 0 && item.bytes[0] == '[') {
        end = memchr(item.bytes, ']', item.length);
        host.bytes++;
        host.length = end ? (size_t)(end++ - host.bytes) : 0;
    } else {
        end = memchr(item.bytes, ':', item.length);
        size_t rest = end ? item.length - (size_t)(end - item.bytes) : 0;
        if (rest <= 1 || memchr(end + 1, ':', rest - 1)) return item; /* IPv6 has more than one colon */
        host.length -= rest;
    }
    if (!end || !is_port(end, (size_t)(item.bytes + item.length - end))) host.length = 0;
    return host;
}

/* nginx writes "unix:" for a client of a Unix socket. */
static bool read_address(struct text item, struct coppice_lobby_address *address) {
    if (text_is(item, "unix:")) {
        *address = (struct coppice_lobby_address){.family = AF_UNIX};
        return true;
    }
    struct text host = without_port(item);
    return coppice_lobby_address_read(address, host.bytes, host.length);
}

/* Whether it may go on with what is left of this list. */
static bool follow(struct text list, const struct coppice_trusted_networks *trusted,
                   struct coppice_lobby_address *client, int *hops) {
    while (list.length > 0) {
        struct text item = take_last(&list);
        if ((*hops)++ == COPPICE_FORWARDED_HOPS) return false;
        if (item.length == 0) continue; /* RFC 9110: empty items of a list are no items */
        if (!read_address(item, client)) return false;
        if (!coppice_trusted_networks_include(trusted, client)) return false;
    }
    return true;
}

static bool is_forwarded_for(const struct coppice_field *field, const char *bytes) {
    static const char name[] = "x-forwarded-for";
    const uint8_t *from = (const uint8_t *)bytes + field->name.offset;
    return coppice_bytes_match(from, field->name.length, name, sizeof(name) - 1);
}

struct coppice_lobby_address coppice_forwarded_for(const struct coppice_request_head *head, const char *bytes,
                                                   const struct coppice_trusted_networks *trusted,
                                                   const struct coppice_lobby_address *peer) {
    struct coppice_lobby_address client = *peer;
    int hops = 0;
    bool more = coppice_trusted_networks_include(trusted, peer);
    for (uint32_t i = head->field_count; i > 0 && more; i--) {
        const struct coppice_field *field = &head->fields[i - 1];
        struct text list = {bytes + field->value.offset, field->value.length};
        if (is_forwarded_for(field, bytes)) more = follow(list, trusted, &client, &hops);
    }
    return client;
}
