#include "env_keys.h"

#include <stdint.h>
#include <string.h>

#include "http/http.h"

enum {
    SLOTS = 256, /* open addressing, a fifth full */
    EMPTY = 0xff
};

#define HEADER_KEY(key, text) #key,
#define HEADER_NAME(key, text) text,
#define REQUEST_KEY(key, text) text,
static const char *const key_texts[] = {COPPICE_COMMON_HEADERS(HEADER_KEY) COPPICE_REQUEST_KEYS(REQUEST_KEY)};
static const char *const header_names[] = {COPPICE_COMMON_HEADERS(HEADER_NAME)};
#undef HEADER_KEY
#undef HEADER_NAME
#undef REQUEST_KEY

enum { HEADER_COUNT = sizeof(header_names) / sizeof(header_names[0]) };

VALUE coppice_env_keys[COPPICE_ENV_KEY_COUNT];

static uint8_t slots[SLOTS];
static uint8_t header_lengths[HEADER_COUNT];

/* First, middle and last byte tell the common names apart well enough. */
static unsigned slot_of(const char *name, size_t length) {
    unsigned first = coppice_byte_lower((uint8_t)name[0]);
    unsigned middle = coppice_byte_lower((uint8_t)name[length / 2]);
    unsigned last = coppice_byte_lower((uint8_t)name[length - 1]);
    return ((unsigned)length * 7 + first * 31 + middle * 17 + last) % SLOTS;
}

int coppice_env_key_of_header(const char *name, size_t length) {
    if (length == 0) return -1;
    for (unsigned slot = slot_of(name, length); slots[slot] != EMPTY; slot = (slot + 1) % SLOTS) {
        unsigned header = slots[slot];
        const char *known = header_names[header];
        if (coppice_bytes_match((const uint8_t *)name, length, known, header_lengths[header])) return (int)header;
    }
    return -1;
}

bool coppice_env_key_forbidden(const char *key, size_t length) {
    if (length == 10) return memcmp(key, "HTTP_PROXY", 10) == 0;
    return length == 12 && memcmp(key, "HTTP_VERSION", 12) == 0;
}

static void index_headers(void) {
    memset(slots, EMPTY, sizeof(slots));
    for (unsigned header = 0; header < HEADER_COUNT; header++) {
        size_t length = strlen(header_names[header]);
        unsigned slot = slot_of(header_names[header], length);
        while (slots[slot] != EMPTY) slot = (slot + 1) % SLOTS;
        slots[slot] = (uint8_t)header;
        header_lengths[header] = (uint8_t)length;
    }
}

void coppice_env_keys_define(void) {
    index_headers();
    for (unsigned key = 0; key < COPPICE_ENV_KEY_COUNT; key++) {
        coppice_env_keys[key] = rb_interned_str_cstr(key_texts[key]);
        rb_gc_register_mark_object(coppice_env_keys[key]);
    }
}
