/* Field lines: name, colon, value, CRLF; then the empty line (RFC 9112 5). */

#include <string.h>

#include "states.h"

/* Is any of these eight bytes below 0x20, or 0x7f? Most values are long and have none. */
static bool has_control(uint64_t eight) {
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones * 0x80;
    uint64_t not_delete = eight ^ (ones * 0x7f);

    return (((eight - ones * 0x20) & ~eight) | ((not_delete - ones) & ~not_delete)) & highs;
}

static void skip_value(struct coppice_http_parser *parser, const uint8_t *bytes, uint32_t end) {
    uint64_t eight;

    while (end - parser->position >= sizeof(eight)) {
        memcpy(&eight, bytes + parser->position, sizeof(eight));
        if (has_control(eight)) break;
        parser->position += sizeof(eight);
    }
    coppice_http_skip(parser, bytes, end, COPPICE_BYTE_VALUE);
}

static struct coppice_field *current_field(const struct coppice_http_parser *parser) {
    return &parser->head->fields[parser->head->field_count];
}

static void read_field(struct coppice_http_parser *parser, uint8_t byte) {
    if (byte == '\r') {
        parser->position++;
        parser->state = COPPICE_STATE_HEAD_LF;
    } else if (byte == '\n') {
        coppice_http_refuse(parser, COPPICE_HTTP_BAD_LINE_END);
    } else if (coppice_byte_is_blank(byte) && parser->head->field_count > 0) {
        coppice_http_refuse(parser, COPPICE_HTTP_FOLDED_FIELD);
    } else if (!coppice_byte_is(byte, COPPICE_BYTE_TOKEN)) {
        coppice_http_refuse(parser, COPPICE_HTTP_BAD_FIELD_NAME);
    } else if (parser->head->field_count == parser->field_capacity) {
        coppice_http_refuse(parser, COPPICE_HTTP_MANY_FIELDS);
    } else {
        coppice_http_enter(parser, COPPICE_STATE_FIELD_NAME);
    }
}

static void read_name(struct coppice_http_parser *parser, const uint8_t *bytes, uint32_t end) {
    coppice_http_skip(parser, bytes, end, COPPICE_BYTE_TOKEN);
    if (parser->position == end) return;

    if (bytes[parser->position] != ':') {
        coppice_http_refuse(parser, COPPICE_HTTP_BAD_FIELD_NAME);
        return;
    }
    current_field(parser)->name = coppice_http_piece(parser);
    parser->position++;
    parser->state = COPPICE_STATE_FIELD_BLANKS;
}

static void read_blanks(struct coppice_http_parser *parser, uint8_t byte) {
    if (coppice_byte_is_blank(byte))
        parser->position++;
    else
        coppice_http_enter(parser, COPPICE_STATE_FIELD_VALUE);
}

static void read_value(struct coppice_http_parser *parser, const uint8_t *bytes, uint32_t end) {
    struct coppice_span value;
    uint8_t byte;

    skip_value(parser, bytes, end);
    if (parser->position == end) return;

    byte = bytes[parser->position];
    if (byte != '\r') {
        coppice_http_refuse(parser, byte == '\n' ? COPPICE_HTTP_BAD_LINE_END : COPPICE_HTTP_BAD_FIELD_VALUE);
        return;
    }
    value = coppice_http_piece(parser);
    while (value.length > 0 && coppice_byte_is_blank(bytes[value.offset + value.length - 1]))
        value.length--;
    current_field(parser)->value = value;
    parser->position++;
    parser->state = COPPICE_STATE_FIELD_LF;
}

static void read_field_end(struct coppice_http_parser *parser, const uint8_t *bytes) {
    enum coppice_http_error error = COPPICE_HTTP_BAD_LINE_END;

    if (bytes[parser->position] == '\n')
        error = coppice_http_check_field(parser, bytes, current_field(parser));
    if (error) {
        coppice_http_refuse(parser, error);
        return;
    }
    parser->head->field_count++;
    parser->position++;
    parser->state = COPPICE_STATE_FIELD;
}

static void read_head_end(struct coppice_http_parser *parser, uint8_t byte) {
    enum coppice_http_error error = byte == '\n' ? coppice_http_check_head(parser) : COPPICE_HTTP_BAD_LINE_END;

    if (error) {
        coppice_http_refuse(parser, error);
        return;
    }
    parser->head->length = ++parser->position;
    parser->state = COPPICE_STATE_COMPLETE;
}

void coppice_http_read_fields(struct coppice_http_parser *parser, const uint8_t *bytes, uint32_t end) {
    while (parser->position < end && parser->state < COPPICE_STATE_COMPLETE) {
        uint8_t byte = bytes[parser->position];

        switch (parser->state) {
        case COPPICE_STATE_FIELD: read_field(parser, byte); break;
        case COPPICE_STATE_FIELD_NAME: read_name(parser, bytes, end); break;
        case COPPICE_STATE_FIELD_BLANKS: read_blanks(parser, byte); break;
        case COPPICE_STATE_FIELD_VALUE: read_value(parser, bytes, end); break;
        case COPPICE_STATE_FIELD_LF: read_field_end(parser, bytes); break;
        case COPPICE_STATE_HEAD_LF: read_head_end(parser, byte); break;
        }
    }
}

struct coppice_span coppice_request_field(const struct coppice_request_head *head, const char *bytes, const char *name) {
    size_t length = strlen(name);
    for (uint32_t i = 0; i < head->field_count; i++) {
        const struct coppice_field *field = &head->fields[i];
        if (field->name.length != length) continue;
        if (coppice_bytes_match((const uint8_t *)bytes + field->name.offset, length, name, length)) return field->value;
    }
    return (struct coppice_span){.length = 0};
}
