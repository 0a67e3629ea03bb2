/*
 * Runs the parser and the decoder for the tests, without a Ruby heap. Standard
 * input holds cases, each a line of numbers and then as many bytes as the first says:
 *
 *   head <bytes> <request_line_bytes> <header_bytes> <field_capacity>
 *   chunked <bytes> <body_bytes> <line_bytes> <extension_bytes> <trailer_bytes> <trailer_count>
 *
 * One line is printed for each: words of key=value; offset,length for a span;
 * bytes as hexadecimal digits. Every case is also read split at every boundary and
 * byte by byte (a long one: at every 40th part of it); any difference aborts.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

enum { LONG = 4000, PARTS_OF_LONG = 40 };

static const char *const head_results[] = {"incomplete", "complete", "refused"};
static const char *const body_results[] = {"more", "data", "end", "refused"};

static void print_span(const char *name, struct coppice_span span) {
    printf(" %s=%" PRIu32 ",%" PRIu32, name, span.offset, span.length);
}

static void print_head(const struct head *head) {
    const struct coppice_http_parser *parser = &head->parser;
    const struct coppice_request_head *found = parser->head;

    printf("result=%s position=%" PRIu32, head_results[head->result], parser->position);
    printf(" status=%d error=%d", coppice_http_error_status(parser->error), parser->error);
    printf(" minor_version=%d chunked=%d", found->minor_version, found->chunked);
    printf(" keep_alive=%d expects_continue=%d", found->keep_alive, found->expects_continue);
    printf(" upgrade=%d has_content_length=%d", found->upgrade, found->has_content_length);
    printf(" content_length=%" PRIu64, found->content_length);
    print_span("method", found->method);
    print_span("target", found->target);
    print_span("path", found->path);
    print_span("query", found->query);
    print_span("scheme", found->scheme);
    print_span("authority", found->authority);
    print_span("host", found->host);
    for (uint32_t i = 0; i < found->field_count; i++) {
        print_span("field", found->fields[i].name);
        printf(",%" PRIu32 ",%" PRIu32, found->fields[i].value.offset, found->fields[i].value.length);
    }
    printf(" reason=%s\n", coppice_http_error_reason(parser->error));
}

static void print_body(const struct body *body) {
    printf("result=%s consumed=%zu", body_results[body->result], body->consumed);
    printf(" status=%d error=%d data=", coppice_chunked_error_status(body->decoder.error), body->decoder.error);
    for (size_t i = 0; i < body->decoded_length; i++)
        printf("%02x", (unsigned char)body->decoded[i]);
    printf(" reason=%s\n", coppice_chunked_error_reason(body->decoder.error));
}

static size_t step_of(size_t length) {
    return length < LONG ? 1 : length / PARTS_OF_LONG;
}

static void run_head(const char *input, size_t length, const uint64_t *numbers) {
    struct coppice_http_limits limits = {(uint32_t)numbers[0], (uint32_t)numbers[1]};
    uint32_t capacity = (uint32_t)numbers[2];
    size_t step = step_of(length);
    struct head head = harness_read_head(input, length, (struct pieces){length, 1}, &limits, capacity);

    print_head(&head);
    for (size_t split = 0; split < length; split += step)
        harness_compare_heads(input, length, (struct pieces){split, length}, &limits, capacity);
    harness_compare_heads(input, length, (struct pieces){0, step}, &limits, capacity);
    free(head.parser.head);
}

static void run_body(const char *input, size_t length, const uint64_t *numbers) {
    struct coppice_chunked_limits limits = {numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2],
                                            (uint32_t)numbers[3], (uint32_t)numbers[4]};
    size_t step = step_of(length);
    struct body body = harness_read_body(input, length, (struct pieces){length, 1}, &limits);

    print_body(&body);
    for (size_t split = 0; split < length; split += step)
        harness_compare_bodies(input, length, (struct pieces){split, length}, &limits);
    harness_compare_bodies(input, length, (struct pieces){0, step}, &limits);
    free(body.decoded);
}

int main(void) {
    char kind[8];
    size_t length;

    while (scanf("%7s %zu", kind, &length) == 2) {
        bool head = kind[0] == 'h';
        uint64_t numbers[5];
        char *input = malloc(length + 1);

        for (int i = 0; i < (head ? 3 : 5); i++) {
            if (scanf("%" SCNu64, &numbers[i]) != 1) return EXIT_FAILURE;
        }
        if (getchar() != '\n' || fread(input, 1, length, stdin) != length) return EXIT_FAILURE;
        (head ? run_head : run_body)(input, length, numbers);
        free(input);
    }
    return EXIT_SUCCESS;
}
