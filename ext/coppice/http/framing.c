/*
 * What fields mean for the server itself: where the body ends, which host is addressed, what happens to the
 * connection. A request whose end two readers could see in two places is refused, never repaired (RFC 9112 6.3 and
 * 11.2).
 */

#include "authority.h"
#include "states.h"

/* Bits of parser->seen. */
enum seen {
    SEEN_HOST = 1,
    SEEN_CONTENT_LENGTH = 2,
    SEEN_CONTENT_TYPE = 4,
    SEEN_AUTHORIZATION = 8,
    SEEN_TRANSFER_ENCODING = 16,
    SEEN_UPGRADE = 32,
    SEEN_CONNECTION_CLOSE = 64,
    SEEN_CONNECTION_KEEP_ALIVE = 128,
    SEEN_CONNECTION_UPGRADE = 256
};

typedef enum coppice_http_error field_reader(struct coppice_http_parser *parser, const uint8_t *bytes,
                                             struct coppice_span value);

/* The next member of a comma-separated list, without blanks; false at its end. `at` starts as 0. */
static bool next_member(const uint8_t *bytes, struct coppice_span list, uint32_t *at, struct coppice_span *member) {
    const uint8_t *text = bytes + list.offset;
    uint32_t from = *at, to;

    if (from > list.length) return false;
    for (to = from; to < list.length && text[to] != ',';)
        to++;
    *at = to + 1;
    while (from < to && coppice_byte_is_blank(text[from]))
        from++;
    while (to > from && coppice_byte_is_blank(text[to - 1]))
        to--;
    *member = (struct coppice_span){list.offset + from, to - from};
    return true;
}

static bool is_word(const uint8_t *bytes, struct coppice_span span, const char *lower, size_t length) {
    return coppice_bytes_match(bytes + span.offset, span.length, lower, length);
}

static bool is_token(const uint8_t *bytes, struct coppice_span span) {
    for (uint32_t i = 0; i < span.length; i++) {
        if (!coppice_byte_is(bytes[span.offset + i], COPPICE_BYTE_TOKEN)) return false;
    }
    return span.length > 0;
}

/* A target's authority wins over Host, so the two may not differ: RFC 9112 3.2.2. */
static enum coppice_http_error read_host(struct coppice_http_parser *parser, const uint8_t *bytes,
                                         struct coppice_span value) {
    struct coppice_request_head *head = parser->head;
    struct coppice_authority host, target;

    if (!coppice_authority_read(bytes, value, &host)) return COPPICE_HTTP_BAD_HOST;
    head->host = host.text;
    if (head->authority.length > 0 && coppice_authority_read(bytes, head->authority, &target)) {
        uint32_t default_port = head->scheme.length == 5 ? 443 : head->scheme.length == 4 ? 80 : target.port;

        if (!coppice_authority_same(bytes, &host, &target, default_port)) return COPPICE_HTTP_BAD_HOST;
    }
    return COPPICE_HTTP_OK;
}

/* Digits, up to the largest signed 64-bit number: more could neither be counted nor stored. */
static enum coppice_http_error read_content_length(struct coppice_http_parser *parser, const uint8_t *bytes,
                                                   struct coppice_span value) {
    enum { MOST_DIGITS = 19 };
    uint64_t length = 0;

    if (parser->seen & SEEN_TRANSFER_ENCODING) return COPPICE_HTTP_AMBIGUOUS_LENGTH;
    if (value.length == 0 || value.length > MOST_DIGITS) return COPPICE_HTTP_BAD_CONTENT_LENGTH;
    for (uint32_t i = 0; i < value.length; i++) {
        uint8_t byte = bytes[value.offset + i];

        if (!coppice_byte_is_digit(byte)) return COPPICE_HTTP_BAD_CONTENT_LENGTH;
        length = length * 10 + (byte - '0');
    }
    if (length > INT64_MAX) return COPPICE_HTTP_BAD_CONTENT_LENGTH;
    parser->head->has_content_length = true;
    parser->head->content_length = length;
    return COPPICE_HTTP_OK;
}

/* A list of tokens whose last one, and no other, is chunked can be framed, but not decoded: 501. The end of a body with
 * any other list is unknown: 400. */
static enum coppice_http_error unknown_coding(const uint8_t *bytes, struct coppice_span value) {
    struct coppice_span member;
    bool chunked = false;
    uint32_t at = 0;

    while (next_member(bytes, value, &at, &member)) {
        if (chunked || !is_token(bytes, member)) return COPPICE_HTTP_BAD_TRANSFER_ENCODING;
        chunked = is_word(bytes, member, "chunked", 7);
    }
    return chunked ? COPPICE_HTTP_UNKNOWN_TRANSFER_ENCODING : COPPICE_HTTP_BAD_TRANSFER_ENCODING;
}

static enum coppice_http_error read_transfer_encoding(struct coppice_http_parser *parser, const uint8_t *bytes,
                                                      struct coppice_span value) {
    if (parser->head->minor_version == 0 || (parser->seen & SEEN_CONTENT_LENGTH)) return COPPICE_HTTP_AMBIGUOUS_LENGTH;
    if (!is_word(bytes, value, "chunked", 7)) return unknown_coding(bytes, value);
    parser->head->chunked = true;
    return COPPICE_HTTP_OK;
}

static enum coppice_http_error read_connection(struct coppice_http_parser *parser, const uint8_t *bytes,
                                               struct coppice_span value) {
    struct coppice_span option;
    uint32_t at = 0;

    while (next_member(bytes, value, &at, &option)) {
        if (is_word(bytes, option, "close", 5))
            parser->seen |= SEEN_CONNECTION_CLOSE;
        else if (is_word(bytes, option, "keep-alive", 10))
            parser->seen |= SEEN_CONNECTION_KEEP_ALIVE;
        else if (is_word(bytes, option, "upgrade", 7))
            parser->seen |= SEEN_CONNECTION_UPGRADE;
    }
    return COPPICE_HTTP_OK;
}

static enum coppice_http_error read_expect(struct coppice_http_parser *parser, const uint8_t *bytes,
                                           struct coppice_span value) {
    /* Two lines are one list, and a list is no expectation that we know. */
    bool repeated = parser->head->expects_continue;

    parser->head->expects_continue = true;
    return !repeated && is_word(bytes, value, "100-continue", 12) ? COPPICE_HTTP_OK : COPPICE_HTTP_BAD_EXPECTATION;
}

/* No two of these names are equally long, so a name's length leaves one candidate. */
static const struct known_field {
    const char *name;
    field_reader *read;
    uint16_t seen;
    bool once;
} known_fields[] = {
    [4] = {"host", read_host, SEEN_HOST, true},
    [6] = {"expect", read_expect, 0, false},
    [7] = {"upgrade", NULL, SEEN_UPGRADE, false},
    [10] = {"connection", read_connection, 0, false},
    [12] = {"content-type", NULL, SEEN_CONTENT_TYPE, true},
    [13] = {"authorization", NULL, SEEN_AUTHORIZATION, true},
    [14] = {"content-length", read_content_length, SEEN_CONTENT_LENGTH, true},
    [17] = {"transfer-encoding", read_transfer_encoding, SEEN_TRANSFER_ENCODING, true},
};

enum coppice_http_error coppice_http_check_field(struct coppice_http_parser *parser, const uint8_t *bytes,
                                                 const struct coppice_field *field) {
    const struct known_field *known;

    if (field->name.length >= sizeof(known_fields) / sizeof(known_fields[0])) return COPPICE_HTTP_OK;
    known = &known_fields[field->name.length];
    if (!known->name || !is_word(bytes, field->name, known->name, field->name.length)) return COPPICE_HTTP_OK;
    if (known->once && (parser->seen & known->seen)) return COPPICE_HTTP_REPEATED_FIELD;
    parser->seen |= known->seen;
    return known->read ? known->read(parser, bytes, field->value) : COPPICE_HTTP_OK;
}

/* HTTP/1.0 knows neither 100 (Continue) nor Upgrade: RFC 9110 10.1.1 and 7.8 have a server ignore them there. */
enum coppice_http_error coppice_http_check_head(struct coppice_http_parser *parser) {
    struct coppice_request_head *head = parser->head;
    bool newest = head->minor_version == 1;
    bool has_body = head->chunked || head->content_length > 0;

    if (newest && !(parser->seen & SEEN_HOST)) return COPPICE_HTTP_BAD_HOST;
    head->keep_alive = !(parser->seen & SEEN_CONNECTION_CLOSE) &&
                       (newest || (parser->seen & SEEN_CONNECTION_KEEP_ALIVE));
    head->expects_continue = head->expects_continue && newest && has_body;
    head->upgrade = newest && (parser->seen & SEEN_CONNECTION_UPGRADE) && (parser->seen & SEEN_UPGRADE);
    return COPPICE_HTTP_OK;
}
