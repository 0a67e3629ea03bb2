/* The parser's entry: limits, and the status and reason of each refusal. request_line.c and fields.c read the bytes,
 * framing.c interprets the fields. */

#include "http.h"

#include <string.h>

#include "states.h"

static const struct explanation {
    int status;
    const char *reason;
} explanations[] = {
    [COPPICE_HTTP_OK] = {200, "nothing is wrong"},
    [COPPICE_HTTP_BAD_METHOD] = {400, "the method is not a token of at most 20 bytes"},
    [COPPICE_HTTP_UNKNOWN_METHOD] = {501, "the method is not a registered one"},
    [COPPICE_HTTP_BAD_TARGET] = {400, "the request target is malformed"},
    [COPPICE_HTTP_LONG_REQUEST_LINE] = {414, "the request line is too long"},
    [COPPICE_HTTP_BAD_VERSION] = {400, "the HTTP version is missing or malformed"},
    [COPPICE_HTTP_UNSUPPORTED_VERSION] = {505, "the HTTP version is neither 1.0 nor 1.1"},
    [COPPICE_HTTP_BAD_LINE_END] = {400, "a line does not end with CR LF"},
    [COPPICE_HTTP_BAD_FIELD_NAME] = {400, "a header name is malformed, or no colon follows it at once"},
    [COPPICE_HTTP_BAD_FIELD_VALUE] = {400, "a header value contains a control character"},
    [COPPICE_HTTP_FOLDED_FIELD] = {400, "a header is folded over several lines"},
    [COPPICE_HTTP_LARGE_HEAD] = {431, "the request head is too large"},
    [COPPICE_HTTP_MANY_FIELDS] = {431, "there are too many header lines"},
    [COPPICE_HTTP_REPEATED_FIELD] = {400, "a header that may come once came twice"},
    [COPPICE_HTTP_BAD_CONTENT_LENGTH] = {400, "Content-Length is not a number"},
    [COPPICE_HTTP_BAD_TRANSFER_ENCODING] = {400, "Transfer-Encoding does not end with one chunked"},
    [COPPICE_HTTP_UNKNOWN_TRANSFER_ENCODING] = {501, "no transfer coding but chunked is supported"},
    [COPPICE_HTTP_AMBIGUOUS_LENGTH] = {400, "Transfer-Encoding came with Content-Length or in HTTP/1.0"},
    [COPPICE_HTTP_BAD_HOST] = {400, "Host is missing, malformed or not the request target's"},
    [COPPICE_HTTP_BAD_EXPECTATION] = {417, "no expectation but 100-continue is supported"},
    [COPPICE_HTTP_NOT_HTTP] = {400, "this looks like TLS, but the port speaks plain HTTP"},
    [COPPICE_HTTP_HTTP2_PREFACE] = {505, "this looks like HTTP/2, but the port speaks HTTP/1.1"},
};

void coppice_http_parser_init(struct coppice_http_parser *parser, const struct coppice_http_limits *limits,
                              struct coppice_request_head *head, uint32_t field_capacity) {
    memset(parser, 0, sizeof(*parser));
    parser->limits = *limits;
    memset(head, 0, sizeof(*head)); /* the fields are as good as field_count says */
    parser->head = head;
    parser->field_capacity = field_capacity;
}

void coppice_http_parser_move(struct coppice_http_parser *parser, const struct coppice_http_parser *from,
                              struct coppice_request_head *head) {
    uint32_t begun = from->head->field_count < from->field_capacity ? 1 : 0;
    memcpy(head, from->head, coppice_request_head_size(from->head->field_count + begun));
    *parser = *from;
    parser->head = head;
}

static uint32_t lesser(size_t one, uint32_t other) {
    return one < other ? (uint32_t)one : other;
}

/* An unfinished part that fills its limit is over the limit: no byte more has to be sent, or kept. */
enum coppice_http_result coppice_http_parse(struct coppice_http_parser *parser, const char *buffer, size_t length) {
    const uint8_t *bytes = (const uint8_t *)buffer;
    uint32_t head_limit = parser->limits.header_bytes;
    uint32_t line_limit = lesser(parser->limits.request_line_bytes, head_limit);

    coppice_http_read_request_line(parser, bytes, lesser(length, line_limit));
    if (parser->state < COPPICE_STATE_FIELD && parser->position == line_limit)
        coppice_http_refuse(parser, COPPICE_HTTP_LONG_REQUEST_LINE);

    if (parser->state >= COPPICE_STATE_FIELD)
        coppice_http_read_fields(parser, bytes, lesser(length, head_limit));
    if (parser->state < COPPICE_STATE_COMPLETE && parser->position == head_limit)
        coppice_http_refuse(parser, COPPICE_HTTP_LARGE_HEAD);

    if (parser->state == COPPICE_STATE_REFUSED) return COPPICE_HTTP_REFUSED;
    return parser->state == COPPICE_STATE_COMPLETE ? COPPICE_HTTP_COMPLETE : COPPICE_HTTP_INCOMPLETE;
}

int coppice_http_error_status(enum coppice_http_error error) {
    return explanations[error].status;
}

const char *coppice_http_error_reason(enum coppice_http_error error) {
    return explanations[error].reason;
}
