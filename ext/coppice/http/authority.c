#include "authority.h"

#include <arpa/inet.h>
#include <string.h>

#include "http.h"

enum { LONGEST_NAME = 255, LONGEST_PORT = 5, HIGHEST_PORT = 65535 };

/* The length of "[…]" at the start of text, 0 if there is no valid IPv6 address in it. */
static uint32_t address_length(const uint8_t *text, uint32_t length) {
    char address[INET6_ADDRSTRLEN];
    struct in6_addr ignored;
    const uint8_t *closing = memchr(text, ']', length);
    size_t inside = closing ? (size_t)(closing - text) - 1 : 0;

    if (inside == 0 || inside >= sizeof(address)) return 0;
    memcpy(address, text + 1, inside);
    address[inside] = '\0';
    return inet_pton(AF_INET6, address, &ignored) == 1 ? (uint32_t)inside + 2 : 0;
}

/* The length of the name at the start of text, 0 if it is not one. An empty label ("a..b") is no name. */
static uint32_t name_length(const uint8_t *text, uint32_t length) {
    uint8_t previous = '.';
    uint32_t i = 0;

    for (; i < length && coppice_byte_is(text[i], COPPICE_BYTE_HOST); i++) {
        if (text[i] == '.' && previous == '.') return 0;
        previous = text[i];
    }
    return i > LONGEST_NAME ? 0 : i;
}

/* Digits of a port from 1 to 65535; nothing at all is right too (RFC 3986 3.2.3) and leaves 0. */
static bool read_port(const uint8_t *text, uint32_t length, uint32_t *port) {
    *port = 0;
    if (length > LONGEST_PORT) return false;
    for (uint32_t i = 0; i < length; i++) {
        if (!coppice_byte_is_digit(text[i])) return false;
        *port = *port * 10 + (text[i] - '0');
    }
    return length == 0 || (*port > 0 && *port <= HIGHEST_PORT);
}

bool coppice_authority_read(const uint8_t *bytes, struct coppice_span span, struct coppice_authority *authority) {
    const uint8_t *text = bytes + span.offset;
    uint32_t length;

    if (span.length == 0) return false;
    length = text[0] == '[' ? address_length(text, span.length) : name_length(text, span.length);
    if (length == 0) return false;

    authority->text = span;
    authority->name = (struct coppice_span){span.offset, length};
    authority->port = 0;
    if (length == span.length) return true;
    if (text[length] != ':' || !read_port(text + length + 1, span.length - length - 1, &authority->port))
        return false;
    if (authority->port == 0)
        authority->text.length = length;
    return true;
}

bool coppice_authority_same(const uint8_t *bytes, const struct coppice_authority *one,
                            const struct coppice_authority *other, uint32_t default_port) {
    const uint8_t *one_name = bytes + one->name.offset, *other_name = bytes + other->name.offset;
    uint32_t one_port = one->port ? one->port : default_port;
    uint32_t other_port = other->port ? other->port : default_port;

    if (one->name.length != other->name.length || one_port != other_port) return false;
    for (uint32_t i = 0; i < one->name.length; i++) {
        if (coppice_byte_lower(one_name[i]) != coppice_byte_lower(other_name[i])) return false;
    }
    return true;
}
