/* The trailer section: bounded, checked and discarded, so that nothing in it can pass for a header (RFC 9110 6.5). */

#include <string.h>

#include "chunked_states.h"

/* Fields that frame, route, authenticate or qualify a message: too late in a trailer (RFC 9110 6.5.1). */
static const char *const forbidden_names[] = {
    "content-length", "transfer-encoding", "host", "trailer", "authorization", "content-type", "content-encoding",
    "content-range", "connection", "te", "upgrade", "expect", "cookie", "set-cookie", "cache-control",
    "max-forwards", "range", "www-authenticate",
};

static const char *const forbidden_prefixes[] = {"if-", "proxy-"};

static bool is_forbidden(const struct coppice_chunked *decoder) {
    for (size_t i = 0; i < sizeof(forbidden_names) / sizeof(forbidden_names[0]); i++) {
        size_t length = strlen(forbidden_names[i]);

        if (decoder->name_length == length && memcmp(decoder->name, forbidden_names[i], length) == 0) return true;
    }
    for (size_t i = 0; i < sizeof(forbidden_prefixes) / sizeof(forbidden_prefixes[0]); i++) {
        size_t length = strlen(forbidden_prefixes[i]);

        if (decoder->name_length >= length && memcmp(decoder->name, forbidden_prefixes[i], length) == 0) return true;
    }
    return false;
}

static void read_trailer_name(struct coppice_chunked *decoder, uint8_t byte) {
    if (coppice_byte_is(byte, COPPICE_BYTE_TOKEN)) {
        if (decoder->name_length < sizeof(decoder->name))
            decoder->name[decoder->name_length] = (char)coppice_byte_lower(byte);
        decoder->name_length++;
    } else if (byte != ':') {
        coppice_chunked_refuse(decoder, COPPICE_CHUNKED_BAD_TRAILER);
    } else if (is_forbidden(decoder)) {
        coppice_chunked_refuse(decoder, COPPICE_CHUNKED_FORBIDDEN_TRAILER);
    } else {
        decoder->state = CHUNKED_TRAILER_VALUE;
    }
}

/* The first byte of a trailer line, or the CR of the empty line that ends the body. */
static void read_trailer(struct coppice_chunked *decoder, uint8_t byte) {
    if (byte == '\r') {
        decoder->state = CHUNKED_LAST_LF;
    } else if (!coppice_byte_is(byte, COPPICE_BYTE_TOKEN)) {
        coppice_chunked_refuse(decoder, byte == '\n' ? COPPICE_CHUNKED_BAD_LINE_END : COPPICE_CHUNKED_BAD_TRAILER);
    } else if (decoder->trailer_count == decoder->limits.trailer_count) {
        coppice_chunked_refuse(decoder, COPPICE_CHUNKED_LARGE_TRAILERS);
    } else {
        decoder->trailer_count++;
        decoder->name_length = 0;
        decoder->state = CHUNKED_TRAILER_NAME;
        read_trailer_name(decoder, byte);
    }
}

static void read_trailer_value(struct coppice_chunked *decoder, uint8_t byte) {
    if (byte == '\r')
        decoder->state = CHUNKED_TRAILER_LF;
    else if (!coppice_byte_is(byte, COPPICE_BYTE_VALUE))
        coppice_chunked_refuse(decoder, byte == '\n' ? COPPICE_CHUNKED_BAD_LINE_END : COPPICE_CHUNKED_BAD_TRAILER);
}

void coppice_chunked_read_trailers(struct coppice_chunked *decoder, uint8_t byte) {
    bool last_line = decoder->state == CHUNKED_LAST_LF || (decoder->state == CHUNKED_TRAILER && byte == '\r');

    if (!last_line && decoder->trailer_length++ == decoder->limits.trailer_bytes) {
        coppice_chunked_refuse(decoder, COPPICE_CHUNKED_LARGE_TRAILERS);
        return;
    }
    switch (decoder->state) {
    case CHUNKED_TRAILER: read_trailer(decoder, byte); break;
    case CHUNKED_TRAILER_NAME: read_trailer_name(decoder, byte); break;
    case CHUNKED_TRAILER_VALUE: read_trailer_value(decoder, byte); break;
    case CHUNKED_TRAILER_LF: coppice_chunked_expect(decoder, byte, '\n', CHUNKED_TRAILER); break;
    case CHUNKED_LAST_LF: coppice_chunked_expect(decoder, byte, '\n', CHUNKED_END); break;
    }
}
