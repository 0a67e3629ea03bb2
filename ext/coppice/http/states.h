#ifndef COPPICE_HTTP_STATES_H
#define COPPICE_HTTP_STATES_H

/* What the files of the parser share: its states and the seams between them. Not for the parser's users. */

#include "http.h"

/* Named after what the next byte belongs to. The order matters: the request line comes before the fields. */
enum coppice_http_state {
    COPPICE_STATE_START,
    COPPICE_STATE_EMPTY_LINE_LF,
    COPPICE_STATE_METHOD,
    COPPICE_STATE_TARGET,
    COPPICE_STATE_TARGET_END,
    COPPICE_STATE_SCHEME,
    COPPICE_STATE_SCHEME_SLASHES,
    COPPICE_STATE_AUTHORITY,
    COPPICE_STATE_PATH,
    COPPICE_STATE_QUERY,
    COPPICE_STATE_VERSION,
    COPPICE_STATE_REQUEST_LINE_LF,

    COPPICE_STATE_FIELD,
    COPPICE_STATE_FIELD_NAME,
    COPPICE_STATE_FIELD_BLANKS,
    COPPICE_STATE_FIELD_VALUE,
    COPPICE_STATE_FIELD_LF,
    COPPICE_STATE_HEAD_LF,

    COPPICE_STATE_COMPLETE,
    COPPICE_STATE_REFUSED
};

static inline void coppice_http_refuse(struct coppice_http_parser *parser, enum coppice_http_error error) {
    parser->error = error;
    parser->state = COPPICE_STATE_REFUSED;
}

/* Goes on to a state, with the byte at position as the first of a new piece. */
static inline void coppice_http_enter(struct coppice_http_parser *parser, enum coppice_http_state state) {
    parser->mark = parser->position;
    parser->state = (uint8_t)state;
}

/* The piece from the mark up to, without, the byte at position. */
static inline struct coppice_span coppice_http_piece(const struct coppice_http_parser *parser) {
    return (struct coppice_span){parser->mark, parser->position - parser->mark};
}

/* Walks over bytes of a class; the byte at position, if before end, is the first of another. */
static inline void coppice_http_skip(struct coppice_http_parser *parser, const uint8_t *bytes, uint32_t end,
                                     uint8_t classes) {
    uint32_t position = parser->position;

    while (position < end && coppice_byte_is(bytes[position], classes))
        position++;
    parser->position = position;
}

/* Each reads on from parser->position, which is before end, until it changes the state or has no more bytes. */
void coppice_http_read_request_line(struct coppice_http_parser *parser, const uint8_t *bytes, uint32_t end);
void coppice_http_read_fields(struct coppice_http_parser *parser, const uint8_t *bytes, uint32_t end);

/* What a whole field line, and then the whole head, mean for the message's framing and routing. */
enum coppice_http_error coppice_http_check_field(struct coppice_http_parser *parser, const uint8_t *bytes,
                                                 const struct coppice_field *field);
enum coppice_http_error coppice_http_check_head(struct coppice_http_parser *parser);

#endif
