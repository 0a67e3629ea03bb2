#ifndef COPPICE_TEST_HARNESS_H
#define COPPICE_TEST_HARNESS_H

/* Reads an input in pieces, each copy of it with its last byte right before an unreadable page. */

#include "http/http.h"

/* A head that was read. */
struct head {
    enum coppice_http_result result;
    struct coppice_http_parser parser; /* its head is the caller's to free */
    size_t needed; /* how many bytes were there when the verdict was given */
};

/* A chunked body that was read. */
struct body {
    enum coppice_chunked_result result;
    struct coppice_chunked decoder;
    size_t consumed;
    char *decoded; /* as long as the input, at most */
    size_t decoded_length;
};

/* The first `first` bytes are given at once, then `step` more with each call. */
struct pieces {
    size_t first;
    size_t step;
};

struct head harness_read_head(const char *input, size_t length, struct pieces pieces,
                              const struct coppice_http_limits *limits, uint32_t field_capacity);

/* The caller frees body.decoded. */
struct body harness_read_body(const char *input, size_t length, struct pieces pieces,
                              const struct coppice_chunked_limits *limits);

/* Read the input whole and in these pieces; say what differs and abort if anything does. */
void harness_compare_heads(const char *input, size_t length, struct pieces pieces,
                           const struct coppice_http_limits *limits, uint32_t field_capacity);
void harness_compare_bodies(const char *input, size_t length, struct pieces pieces,
                            const struct coppice_chunked_limits *limits);

#endif
