#ifndef COPPICE_HTTP_BYTES_H
#define COPPICE_HTTP_BYTES_H

/* Which bytes may stand where in HTTP, and how names are compared. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum coppice_byte_class {
    COPPICE_BYTE_TOKEN = 1,     /* tchar: methods, field names, extension names */
    COPPICE_BYTE_PATH = 2,      /* what ends a path, or has no place in one, is not in here */
    COPPICE_BYTE_QUERY = 4,     /* as path, and "?" and backslash */
    COPPICE_BYTE_HOST = 8,      /* a host's name or an IPv4 address */
    COPPICE_BYTE_AUTHORITY = 16, /* as host, and ":" "[" "]" */
    COPPICE_BYTE_VALUE = 32     /* field values: visible, blank or obs-text */
};

extern const uint8_t coppice_byte_classes[256];

static inline bool coppice_byte_is(uint8_t byte, uint8_t classes) {
    return coppice_byte_classes[byte] & classes;
}

static inline bool coppice_byte_is_digit(uint8_t byte) {
    return byte >= '0' && byte <= '9';
}

/* OWS of RFC 9110: a space or a tab. */
static inline bool coppice_byte_is_blank(uint8_t byte) {
    return byte == ' ' || byte == '\t';
}

static inline uint8_t coppice_byte_lower(uint8_t byte) {
    return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

/* Are these the same, whatever the case of ASCII letters? `lower` must be in lower case. */
bool coppice_bytes_match(const uint8_t *bytes, size_t length, const char *lower, size_t lower_length);

#endif
