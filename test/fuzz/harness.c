#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* One mapping for all inputs, grown when one does not fit; its last page is never readable. */
static struct {
    char *start;
    size_t size; /* of the readable part */
} window;

static void check(int good, const char *what) {
    if (good) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void grow_window(size_t length) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (window.start) munmap(window.start, window.size + page);
    window.size = (length / page + 1) * page;
    window.start = mmap(NULL, window.size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(window.start != MAP_FAILED, "mmap failed");
    check(mprotect(window.start + window.size, page, PROT_NONE) == 0, "mprotect failed");
}

/* A copy whose end is the window's end: the next byte cannot be read. */
static const char *guard(const char *bytes, size_t length) {
    char *copy;

    if (!window.start || length > window.size) grow_window(length);
    copy = window.start + window.size - length;
    if (length > 0) memcpy(copy, bytes, length);
    return copy;
}

static size_t next_length(size_t known, size_t length, struct pieces pieces) {
    return pieces.step < length - known ? known + pieces.step : length;
}

struct head harness_read_head(const char *input, size_t length, struct pieces pieces,
                              const struct coppice_http_limits *limits, uint32_t field_capacity) {
    struct head head;
    size_t known = pieces.first < length ? pieces.first : length;

    memset(&head, 0, sizeof(head));
    coppice_http_parser_init(&head.parser, limits, malloc(coppice_request_head_size(field_capacity)), field_capacity);
    for (;;) {
        head.result = coppice_http_parse(&head.parser, guard(input, known), known);
        head.needed = known;
        check(head.parser.position <= known, "the position is behind the input");
        if (head.result != COPPICE_HTTP_INCOMPLETE || known == length) return head;
        check(head.parser.position == known, "an incomplete head has bytes that were not looked at");
        known = next_length(known, length, pieces);
    }
}

struct body harness_read_body(const char *input, size_t length, struct pieces pieces,
                              const struct coppice_chunked_limits *limits) {
    struct body body;
    size_t known = pieces.first < length ? pieces.first : length;

    memset(&body, 0, sizeof(body));
    body.decoded = malloc(length + 1);
    coppice_chunked_init(&body.decoder, limits);
    for (;;) {
        size_t consumed, offset, run, given = known - body.consumed;
        const char *piece = guard(input + body.consumed, given);

        body.result = coppice_chunked_decode(&body.decoder, piece, given, &consumed, &offset, &run);
        check(consumed <= given, "more was consumed than given");
        body.consumed += consumed;
        if (body.result == COPPICE_CHUNKED_DATA) {
            check(run > 0 && offset <= consumed && run <= consumed - offset, "data lies outside of the consumed bytes");
            memcpy(body.decoded + body.decoded_length, piece + offset, run);
            body.decoded_length += run;
            check(body.decoded_length <= limits->body_bytes, "more was handed out than the limit");
        } else if (body.result != COPPICE_CHUNKED_MORE || known == length) {
            return body;
        } else {
            check(consumed == given, "more is wanted, but not all was consumed");
            known = next_length(known, length, pieces);
        }
    }
}

static void compare_heads(const struct head *one, const struct head *other) {
    const struct coppice_request_head *head = one->parser.head;
    struct coppice_http_parser parser = other->parser;

    parser.head = one->parser.head;
    check(one->result == other->result, "a head's verdict depends on how it was split");
    check(memcmp(&one->parser, &parser, sizeof(parser)) == 0, "how far a head was read depends on how it was split");
    check(memcmp(head, other->parser.head, offsetof(struct coppice_request_head, fields)) == 0,
          "what was read of a head depends on how it was split");
    check(memcmp(head->fields, other->parser.head->fields, head->field_count * sizeof(head->fields[0])) == 0,
          "the fields depend on how a head was split");
}

/* A refusal must come with the first wrong byte, or with the byte that fills a limit; the end with the last one. */
static void check_not_late(const struct head *head) {
    size_t known = head->parser.position;
    enum coppice_http_error error = head->parser.error;
    int by_limit = error == COPPICE_HTTP_LONG_REQUEST_LINE || error == COPPICE_HTTP_LARGE_HEAD;

    if (head->result == COPPICE_HTTP_REFUSED)
        check(head->needed == known + (by_limit ? 0 : 1), "a head was not refused at its first wrong byte");
    if (head->result == COPPICE_HTTP_COMPLETE)
        check(head->needed == head->parser.head->length, "a head was not complete at its last byte");
}

void harness_compare_heads(const char *input, size_t length, struct pieces pieces,
                           const struct coppice_http_limits *limits, uint32_t field_capacity) {
    struct head whole = harness_read_head(input, length, (struct pieces){length, 1}, limits, field_capacity);
    struct head other = harness_read_head(input, length, pieces, limits, field_capacity);

    compare_heads(&whole, &other);
    if (pieces.step == 1) check_not_late(&other);
    free(whole.parser.head);
    free(other.parser.head);
}

static void compare_bodies(const struct body *one, const struct body *other) {
    check(one->result == other->result, "a body's verdict depends on how it was split");
    check(one->consumed == other->consumed, "a body's end depends on how it was split");
    check(memcmp(&one->decoder, &other->decoder, sizeof(one->decoder)) == 0, "the decoder depends on how it was split");
    check(one->decoded_length == other->decoded_length &&
              memcmp(one->decoded, other->decoded, one->decoded_length) == 0,
          "a body's data depends on how it was split");
}

void harness_compare_bodies(const char *input, size_t length, struct pieces pieces,
                            const struct coppice_chunked_limits *limits) {
    struct body whole = harness_read_body(input, length, (struct pieces){length, 1}, limits);
    struct body other = harness_read_body(input, length, pieces, limits);

    compare_bodies(&whole, &other);
    free(whole.decoded);
    free(other.decoded);
}
