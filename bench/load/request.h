/* The bytes of each request. */
#ifndef LOAD_REQUEST_H
#define LOAD_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "options.h"

enum { REQUEST_HEAD_BYTES = 8192 };

/* The body, the same for all requests; NULL and 0 where there is none. */
struct request_body {
    const char *bytes;
    size_t length;
};

/* Once, before all else: what all requests share. Ends the program where it cannot be had. */
void request_prepare(const struct options *options);

/* Writes the head of the n-th request, counted from 1, to `head`, which has REQUEST_HEAD_BYTES. Answers its length. */
size_t request_head(char *head, uint64_t number);

struct request_body request_body(void);

#endif
