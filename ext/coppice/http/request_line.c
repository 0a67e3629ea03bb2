/* The request line: method, target in its four forms, version (RFC 9112 3). */

#include <string.h>

#include "authority.h"
#include "states.h"

enum { LONGEST_METHOD = 20, TLS_HANDSHAKE = 0x16 };

/* Every method in IANA's registry but PRI, the frequent ones first. */
static const char methods[][LONGEST_METHOD] = {
    "GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "TRACE", "CONNECT",
    "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "REPORT", "SEARCH", "MKCALENDAR", "ACL",
    "LINK", "UNLINK", "BIND", "REBIND", "UNBIND", "CHECKIN", "CHECKOUT", "UNCHECKOUT", "VERSION-CONTROL", "UPDATE",
    "LABEL", "MERGE", "BASELINE-CONTROL", "MKACTIVITY", "MKWORKSPACE", "ORDERPATCH", "MKREDIRECTREF",
    "UPDATEREDIRECTREF",
};

static bool method_is(const struct coppice_http_parser *parser, const uint8_t *bytes, const char *name) {
    return parser->head->method.length == strlen(name) &&
           memcmp(bytes + parser->head->method.offset, name, parser->head->method.length) == 0;
}

static enum coppice_http_error check_method(const struct coppice_http_parser *parser, const uint8_t *bytes) {
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (method_is(parser, bytes, methods[i])) return COPPICE_HTTP_OK;
    }
    return method_is(parser, bytes, "PRI") ? COPPICE_HTTP_HTTP2_PREFACE : COPPICE_HTTP_UNKNOWN_METHOD;
}

/* Some old clients send an empty line before a request; one is accepted (RFC 9112 2.2). */
static void read_start(struct coppice_http_parser *parser, uint8_t byte) {
    if (byte == TLS_HANDSHAKE) {
        coppice_http_refuse(parser, COPPICE_HTTP_NOT_HTTP);
    } else if (byte == '\r') {
        parser->position++;
        parser->state = COPPICE_STATE_EMPTY_LINE_LF;
    } else {
        coppice_http_enter(parser, COPPICE_STATE_METHOD);
    }
}

static void read_line_feed(struct coppice_http_parser *parser, uint8_t byte, enum coppice_http_state next) {
    if (byte != '\n') {
        coppice_http_refuse(parser, COPPICE_HTTP_BAD_LINE_END);
        return;
    }
    parser->position++;
    coppice_http_enter(parser, next);
}

static void read_method(struct coppice_http_parser *parser, const uint8_t *bytes, uint32_t end) {
    uint32_t longest = parser->mark + LONGEST_METHOD;
    enum coppice_http_error error;

    coppice_http_skip(parser, bytes, end < longest ? end : longest, COPPICE_BYTE_TOKEN);
    if (parser->position == end) return;

    parser->head->method = coppice_http_piece(parser);
    if (parser->head->method.length == 0 || bytes[parser->position] != ' ') {
        coppice_http_refuse(parser, COPPICE_HTTP_BAD_METHOD);
        return;
    }
    error = check_method(parser, bytes);
    if (error) {
        coppice_http_refuse(parser, error);
        return;
    }
    parser->position++;
    parser->head->target.offset = parser->position;
    coppice_http_enter(parser, COPPICE_STATE_TARGET);
}

/* The first byte and the method tell which form a target has: RFC 9112 3.2 leaves no choice. */
static void read_target(struct coppice_http_parser *parser, const uint8_t *bytes) {
    uint8_t byte = bytes[parser->position];

    if (method_is(parser, bytes, "CONNECT")) {
        coppice_http_enter(parser, COPPICE_STATE_AUTHORITY);
    } else if (byte == '/') {
        coppice_http_enter(parser, COPPICE_STATE_PATH);
    } else if (byte == '*' && method_is(parser, bytes, "OPTIONS")) {
        parser->position++;
        parser->head->path = coppice_http_piece(parser);
        parser->state = COPPICE_STATE_TARGET_END;
    } else if (coppice_byte_is(byte, COPPICE_BYTE_HOST)) {
        coppice_http_enter(parser, COPPICE_STATE_SCHEME);
    } else {
        coppice_http_refuse(parser, COPPICE_HTTP_BAD_TARGET);
    }
}

static void read_scheme(struct coppice_http_parser *parser, const uint8_t *bytes, uint32_t end) {
    const uint8_t *scheme = bytes + parser->mark;

    coppice_http_skip(parser, bytes, end, COPPICE_BYTE_HOST);
    if (parser->position == end) return;

    parser->head->scheme = coppice_http_piece(parser);
    if (bytes[parser->position] == ':' && (coppice_bytes_match(scheme, parser->head->scheme.length, "http", 4) ||
                                           coppice_bytes_match(scheme, parser->head->scheme.length, "https", 5))) {
        parser->position++;
        coppice_http_enter(parser, COPPICE_STATE_SCHEME_SLASHES);
    } else {
        coppice_http_refuse(parser, COPPICE_HTTP_BAD_TARGET);
    }
}

static void read_scheme_slashes(struct coppice_http_parser *parser, uint8_t byte) {
    if (byte != '/') {
        coppice_http_refuse(parser, COPPICE_HTTP_BAD_TARGET);
        return;
    }
    parser->position++;
    if (parser->position - parser->mark == 2)
        coppice_http_enter(parser, COPPICE_STATE_AUTHORITY);
}

/* A target without a path and version behind it ends with a line end: that would be HTTP/0.9. */
static void end_target(struct coppice_http_parser *parser, uint8_t byte) {
    if (byte == ' ') {
        parser->head->target.length = parser->position - parser->head->target.offset;
        parser->position++;
        coppice_http_enter(parser, COPPICE_STATE_VERSION);
    } else {
        coppice_http_refuse(parser, byte == '\r' || byte == '\n' ? COPPICE_HTTP_BAD_VERSION : COPPICE_HTTP_BAD_TARGET);
    }
}

static void start_query(struct coppice_http_parser *parser) {
    parser->position++;
    coppice_http_enter(parser, COPPICE_STATE_QUERY);
}

static void read_authority(struct coppice_http_parser *parser, const uint8_t *bytes, uint32_t end) {
    struct coppice_authority authority;
    bool absolute = parser->head->scheme.length > 0;
    uint8_t byte;

    coppice_http_skip(parser, bytes, end, COPPICE_BYTE_AUTHORITY);
    if (parser->position == end) return;

    if (!coppice_authority_read(bytes, coppice_http_piece(parser), &authority) || (!absolute && authority.port == 0)) {
        coppice_http_refuse(parser, COPPICE_HTTP_BAD_TARGET);
        return;
    }
    parser->head->authority = authority.text;
    byte = bytes[parser->position];
    if (absolute && byte == '/')
        coppice_http_enter(parser, COPPICE_STATE_PATH);
    else if (absolute && byte == '?')
        start_query(parser);
    else
        end_target(parser, byte);
}

static void read_path(struct coppice_http_parser *parser, const uint8_t *bytes, uint32_t end) {
    coppice_http_skip(parser, bytes, end, COPPICE_BYTE_PATH);
    if (parser->position == end) return;

    parser->head->path = coppice_http_piece(parser);
    if (bytes[parser->position] == '?')
        start_query(parser);
    else
        end_target(parser, bytes[parser->position]);
}

static void read_query(struct coppice_http_parser *parser, const uint8_t *bytes, uint32_t end) {
    coppice_http_skip(parser, bytes, end, COPPICE_BYTE_QUERY);
    if (parser->position == end) return;

    parser->head->query = coppice_http_piece(parser);
    end_target(parser, bytes[parser->position]);
}

/* "HTTP/1.0" or "HTTP/1.1" and CR. Any other well-formed version is 505, the rest 400. */
static void read_version(struct coppice_http_parser *parser, uint8_t byte) {
    static const char wanted[] = "HTTP/1.";
    enum { MAJOR = 5, MINOR = 7 };
    uint32_t index = parser->position - parser->mark;

    if (index < MINOR && byte == wanted[index]) {
        parser->position++;
    } else if (index == MINOR && (byte == '0' || byte == '1')) {
        parser->head->minor_version = byte - '0';
        parser->position++;
    } else if (index > MINOR && byte == '\r') {
        parser->position++;
        parser->state = COPPICE_STATE_REQUEST_LINE_LF;
    } else if (index > MINOR && byte == '\n') {
        coppice_http_refuse(parser, COPPICE_HTTP_BAD_LINE_END);
    } else {
        bool other = (index == MAJOR || index == MINOR) && coppice_byte_is_digit(byte);
        coppice_http_refuse(parser, other ? COPPICE_HTTP_UNSUPPORTED_VERSION : COPPICE_HTTP_BAD_VERSION);
    }
}

void coppice_http_read_request_line(struct coppice_http_parser *parser, const uint8_t *bytes, uint32_t end) {
    while (parser->position < end && parser->state < COPPICE_STATE_FIELD) {
        uint8_t byte = bytes[parser->position];

        switch (parser->state) {
        case COPPICE_STATE_START: read_start(parser, byte); break;
        case COPPICE_STATE_EMPTY_LINE_LF: read_line_feed(parser, byte, COPPICE_STATE_METHOD); break;
        case COPPICE_STATE_METHOD: read_method(parser, bytes, end); break;
        case COPPICE_STATE_TARGET: read_target(parser, bytes); break;
        case COPPICE_STATE_TARGET_END: end_target(parser, byte); break;
        case COPPICE_STATE_SCHEME: read_scheme(parser, bytes, end); break;
        case COPPICE_STATE_SCHEME_SLASHES: read_scheme_slashes(parser, byte); break;
        case COPPICE_STATE_AUTHORITY: read_authority(parser, bytes, end); break;
        case COPPICE_STATE_PATH: read_path(parser, bytes, end); break;
        case COPPICE_STATE_QUERY: read_query(parser, bytes, end); break;
        case COPPICE_STATE_VERSION: read_version(parser, byte); break;
        case COPPICE_STATE_REQUEST_LINE_LF: read_line_feed(parser, byte, COPPICE_STATE_FIELD); break;
        }
    }
}
