/*
 * The chunked coding (RFC 9112 7.1), read byte by byte except for the data itself. Blanks that the grammar calls bad
 * (BWS) must be accepted around the ; and the = of an extension. They are refused elsewhere: readers that disagree
 * about blanks can be made to disagree about the body's end.
 */

#include "http.h"

#include <string.h>

#include "chunked_states.h"

enum { MOST_SIZE_DIGITS = 16 };

static const struct explanation {
    int status;
    const char *reason;
} explanations[] = {
    [COPPICE_CHUNKED_OK] = {200, "nothing is wrong"},
    [COPPICE_CHUNKED_BAD_SIZE] = {400, "a chunk's size is not 1 to 16 hexadecimal digits"},
    [COPPICE_CHUNKED_BAD_EXTENSION] = {400, "a chunk extension is malformed"},
    [COPPICE_CHUNKED_LARGE_EXTENSIONS] = {400, "the chunk extensions are too large"},
    [COPPICE_CHUNKED_BAD_LINE_END] = {400, "a chunk or a line of the body does not end with CR LF"},
    [COPPICE_CHUNKED_BAD_TRAILER] = {400, "a trailer line is malformed"},
    [COPPICE_CHUNKED_FORBIDDEN_TRAILER] = {400, "a trailer has a name that only a header may have"},
    [COPPICE_CHUNKED_LARGE_TRAILERS] = {431, "the trailers are too large or too many"},
    [COPPICE_CHUNKED_LARGE_BODY] = {413, "the body is too large"},
};

/* The digit's value, 16 if it is none. */
static uint8_t hex_value(uint8_t byte) {
    byte = coppice_byte_lower(byte);
    if (coppice_byte_is_digit(byte)) return byte - '0';
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : 16;
}

static void read_size(struct coppice_chunked *decoder, uint8_t byte) {
    uint8_t value = hex_value(byte);

    if (value < 16 && decoder->size_digits < MOST_SIZE_DIGITS) {
        decoder->size_digits++;
        decoder->remaining = decoder->remaining << 4 | value;
    } else if (value < 16 || decoder->size_digits == 0) {
        coppice_chunked_refuse(decoder, COPPICE_CHUNKED_BAD_SIZE);
    } else if (coppice_byte_is_blank(byte)) {
        decoder->state = CHUNKED_EXTENSION_START;
    } else if (byte == ';') {
        decoder->state = CHUNKED_EXTENSION_NAME_START;
    } else if (byte == '\r') {
        decoder->state = CHUNKED_SIZE_LF;
    } else {
        coppice_chunked_refuse(decoder, byte == '\n' ? COPPICE_CHUNKED_BAD_LINE_END : COPPICE_CHUNKED_BAD_SIZE);
    }
}

/* What may follow a whole extension: another one, or the end of the line. */
static void end_extension(struct coppice_chunked *decoder, uint8_t byte) {
    if (byte == ';')
        decoder->state = CHUNKED_EXTENSION_NAME_START;
    else if (coppice_byte_is_blank(byte))
        decoder->state = CHUNKED_EXTENSION_START;
    else if (byte == '\r')
        decoder->state = CHUNKED_SIZE_LF;
    else
        coppice_chunked_refuse(decoder, byte == '\n' ? COPPICE_CHUNKED_BAD_LINE_END : COPPICE_CHUNKED_BAD_EXTENSION);
}

/* What may follow blanks: another extension or, behind a name, its value; not the end of the line. */
static void end_blanks(struct coppice_chunked *decoder, uint8_t byte) {
    if (byte == ';')
        decoder->state = CHUNKED_EXTENSION_NAME_START;
    else if (byte == '=' && decoder->state == CHUNKED_EXTENSION_NAME_END)
        decoder->state = CHUNKED_EXTENSION_VALUE_START;
    else if (!coppice_byte_is_blank(byte))
        coppice_chunked_refuse(decoder, COPPICE_CHUNKED_BAD_EXTENSION);
}

/* ;name, ;name=token or ;name="quoted". Extensions are ignored, but a line end hidden in one must be found. */
static void read_extension(struct coppice_chunked *decoder, uint8_t byte) {
    bool token = coppice_byte_is(byte, COPPICE_BYTE_TOKEN);
    bool text = coppice_byte_is(byte, COPPICE_BYTE_VALUE);

    switch (decoder->state) {
    case CHUNKED_EXTENSION_START:
    case CHUNKED_EXTENSION_NAME_END:
        end_blanks(decoder, byte);
        break;
    case CHUNKED_EXTENSION_NAME_START:
        if (token)
            decoder->state = CHUNKED_EXTENSION_NAME;
        else if (!coppice_byte_is_blank(byte))
            coppice_chunked_refuse(decoder, COPPICE_CHUNKED_BAD_EXTENSION);
        break;
    case CHUNKED_EXTENSION_NAME:
        if (coppice_byte_is_blank(byte))
            decoder->state = CHUNKED_EXTENSION_NAME_END;
        else if (byte == '=')
            decoder->state = CHUNKED_EXTENSION_VALUE_START;
        else if (!token)
            end_extension(decoder, byte);
        break;
    case CHUNKED_EXTENSION_VALUE_START:
        if (byte == '"')
            decoder->state = CHUNKED_EXTENSION_QUOTED;
        else if (token)
            decoder->state = CHUNKED_EXTENSION_TOKEN;
        else if (!coppice_byte_is_blank(byte))
            coppice_chunked_refuse(decoder, COPPICE_CHUNKED_BAD_EXTENSION);
        break;
    case CHUNKED_EXTENSION_TOKEN:
        if (!token)
            end_extension(decoder, byte);
        break;
    case CHUNKED_EXTENSION_QUOTED:
        if (byte == '"')
            decoder->state = CHUNKED_EXTENSION_END;
        else if (byte == '\\')
            decoder->state = CHUNKED_EXTENSION_ESCAPED;
        else if (!text)
            coppice_chunked_refuse(decoder, COPPICE_CHUNKED_BAD_EXTENSION);
        break;
    case CHUNKED_EXTENSION_ESCAPED:
        if (text)
            decoder->state = CHUNKED_EXTENSION_QUOTED;
        else
            coppice_chunked_refuse(decoder, COPPICE_CHUNKED_BAD_EXTENSION);
        break;
    case CHUNKED_EXTENSION_END:
        end_extension(decoder, byte);
        break;
    }
}

/* A chunk that would exceed the limit is refused before a byte of it is handed out. */
static void end_size_line(struct coppice_chunked *decoder) {
    if (decoder->remaining > decoder->limits.body_bytes - decoder->decoded) {
        coppice_chunked_refuse(decoder, COPPICE_CHUNKED_LARGE_BODY);
        return;
    }
    decoder->state = decoder->remaining > 0 ? CHUNKED_DATA : CHUNKED_TRAILER;
    decoder->size_digits = 0;
    decoder->line_length = 0;
}

static void count_size_line_byte(struct coppice_chunked *decoder) {
    bool extension = decoder->state != CHUNKED_SIZE && decoder->state != CHUNKED_SIZE_LF;

    if (decoder->line_length == decoder->limits.line_bytes ||
        (extension && decoder->extension_length == decoder->limits.extension_bytes)) {
        coppice_chunked_refuse(decoder, COPPICE_CHUNKED_LARGE_EXTENSIONS);
        return;
    }
    decoder->line_length++;
    decoder->extension_length += extension;
}

static void read_size_line(struct coppice_chunked *decoder, uint8_t byte) {
    count_size_line_byte(decoder);
    switch (decoder->state) {
    case CHUNKED_REFUSED:
        break;
    case CHUNKED_SIZE:
        read_size(decoder, byte);
        break;
    case CHUNKED_SIZE_LF:
        if (byte == '\n')
            end_size_line(decoder);
        else
            coppice_chunked_refuse(decoder, COPPICE_CHUNKED_BAD_LINE_END);
        break;
    default:
        read_extension(decoder, byte);
    }
}

static void read_byte(struct coppice_chunked *decoder, uint8_t byte) {
    if (decoder->state <= CHUNKED_SIZE_LF)
        read_size_line(decoder, byte);
    else if (decoder->state == CHUNKED_DATA_CR)
        coppice_chunked_expect(decoder, byte, '\r', CHUNKED_DATA_LF);
    else if (decoder->state == CHUNKED_DATA_LF)
        coppice_chunked_expect(decoder, byte, '\n', CHUNKED_SIZE);
    else
        coppice_chunked_read_trailers(decoder, byte);
}

static void take_data(struct coppice_chunked *decoder, size_t length) {
    decoder->remaining -= length;
    decoder->decoded += length;
    if (decoder->remaining == 0)
        decoder->state = CHUNKED_DATA_CR;
}

void coppice_chunked_init(struct coppice_chunked *decoder, const struct coppice_chunked_limits *limits) {
    memset(decoder, 0, sizeof(*decoder));
    decoder->limits = *limits;
}

void coppice_chunked_init_request(struct coppice_chunked *decoder, uint64_t body_bytes) {
    struct coppice_chunked_limits limits = {
        .body_bytes = body_bytes,
        .line_bytes = 4 * 1024,
        .extension_bytes = 16 * 1024,
        .trailer_bytes = 16 * 1024,
        .trailer_count = 64,
    };
    coppice_chunked_init(decoder, &limits);
}

enum coppice_chunked_result coppice_chunked_decode(struct coppice_chunked *decoder, const char *input, size_t length,
                                                   size_t *consumed, size_t *data_offset, size_t *data_length) {
    size_t at = 0;

    while (at < length && decoder->state < CHUNKED_END && decoder->state != CHUNKED_DATA) {
        read_byte(decoder, (uint8_t)input[at]);
        at += decoder->state != CHUNKED_REFUSED;
    }
    *data_offset = at;
    *data_length = 0;
    if (decoder->state == CHUNKED_DATA && at < length) {
        *data_length = length - at < decoder->remaining ? length - at : (size_t)decoder->remaining;
        take_data(decoder, *data_length);
    }
    *consumed = at + *data_length;

    if (decoder->state >= CHUNKED_END)
        return decoder->state == CHUNKED_END ? COPPICE_CHUNKED_END : COPPICE_CHUNKED_REFUSED;
    return *data_length > 0 ? COPPICE_CHUNKED_DATA : COPPICE_CHUNKED_MORE;
}

int coppice_chunked_error_status(enum coppice_chunked_error error) {
    return explanations[error].status;
}

const char *coppice_chunked_error_reason(enum coppice_chunked_error error) {
    return explanations[error].reason;
}
