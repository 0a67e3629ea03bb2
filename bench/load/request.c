#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "request.h"

static const struct options *options;
static struct request_body body;
static char fields[REQUEST_HEAD_BYTES]; /* from the version to the empty line */
static size_t fields_length;

static void give_up(const char *what) {
    perror(what);
    exit(2);
}

static void add(const char *text, const char *end) {
    int added = snprintf(fields + fields_length, sizeof fields - fields_length, "%s%s", text, end);
    fields_length += (size_t)added;
    if (fields_length >= sizeof fields) {
        fprintf(stderr, "load: the headers are too long\n");
        exit(2);
    }
}

static void map_body(const char *path) {
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &info) < 0) give_up(path);
    body.length = (size_t)info.st_size;
    body.bytes = mmap(NULL, body.length, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (body.bytes == MAP_FAILED) give_up(path);
    close(file);
}

void request_prepare(const struct options *asked) {
    char length[32];

    options = asked;
    if (options->post) map_body(options->post);
    add(" HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*", "\r\n");
    if (!options->keep_alive) add("Connection: close", "\r\n");
    for (int i = 0; i < options->header_count; i++) add(options->headers[i], "\r\n");
    if (options->post) {
        snprintf(length, sizeof length, "%zu", body.length);
        add("Content-Length: ", length);
        add("", "\r\n");
    }
    add("", "\r\n");
}

/* The text behind so many bytes, with digits for each {n}. Answers the length, which is that of `head` or more where
 * there is no room. */
static size_t append(char *head, size_t length, const char *text, const char *digits) {
    while (length < REQUEST_HEAD_BYTES) {
        const char *mark = strstr(text, "{n}");
        int before = mark ? (int)(mark - text) : (int)strlen(text);
        length += (size_t)snprintf(head + length, REQUEST_HEAD_BYTES - length, "%.*s%s", before, text,
                                   mark ? digits : "");
        if (!mark) break;
        text = mark + 3;
    }
    return length;
}

size_t request_head(char *head, uint64_t number) {
    /* A hash, not taking turns: with as many paths as workers, each worker would get the same path forever. */
    const char *path = options->paths[(number * 2654435761u >> 16) % (uint64_t)options->path_count];
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)((number - 1) % options->modulus + 1));
    size_t length = append(head, 0, body.bytes ? "POST " : "GET ", digits);
    length = append(head, append(head, length, path, digits), fields, digits);
    if (length >= REQUEST_HEAD_BYTES) {
        fprintf(stderr, "load: the head is too long: %s\n", path);
        exit(2);
    }
    return length;
}

struct request_body request_body(void) {
    return body;
}
