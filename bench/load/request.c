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
    if (fields_length > sizeof fields - 1024) { /* the rest is for the path */
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

size_t request_head(char *head, uint64_t number) {
    /* A hash, not taking turns: with as many paths as workers, each worker would get the same path forever. */
    const char *path = options->paths[(number * 2654435761u >> 16) % (uint64_t)options->path_count];
    const char *mark = strstr(path, "{n}");
    int before = mark ? (int)(mark - path) : (int)strlen(path);
    char digits[24] = "";
    if (mark) snprintf(digits, sizeof digits, "%llu", (unsigned long long)((number - 1) % options->modulus + 1));

    int length = snprintf(head, REQUEST_HEAD_BYTES - fields_length, "%s %.*s%s%s", body.bytes ? "POST" : "GET",
                          before, path, digits, mark ? mark + 3 : "");
    if (length >= (int)(REQUEST_HEAD_BYTES - fields_length)) {
        fprintf(stderr, "load: the path is too long: %s\n", path);
        exit(2);
    }
    memcpy(head + length, fields, fields_length);
    return (size_t)length + fields_length;
}

struct request_body request_body(void) {
    return body;
}
