/*
 * access_log_driver lines text|json: standard input holds entries, each a line "METHOD PATH ID" of lengths and then as
 * many bytes; prints a line of the access log for each. All other values are the same for all.
 *
 * access_log_driver pipe: a reader that is slow, gone, and replaced. access_log_driver file: a regular file, on a file
 * system that answers RWF_NOWAIT with EAGAIN. access_log_driver ids COUNT: request IDs. Linked with --wrap=pwritev2.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shared/access_log.h"
#include "check.h"
#include "shared/request_ids.h"

enum { KINDS = 3, PIPE_BYTES = 64 * 1024 };

static struct coppice_access_log access_log;
static char path[3000];

ssize_t __real_pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags);
ssize_t __wrap_pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags);

/* Regular files as those of XFS and btrfs are. */
ssize_t __wrap_pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags) {
    struct stat stat;
    CHECK(fstat(fd, &stat) == 0);
    if (!S_ISREG(stat.st_mode)) return __real_pwritev2(fd, parts, count, offset, flags);
    errno = EAGAIN;
    return -1;
}

static struct coppice_access_entry entry_with(const struct coppice_access_text *texts) {
    return (struct coppice_access_entry){
        .time_ms = 1795348800123, .client = {.family = AF_INET, .bytes = {192, 0, 2, 1}},
        .method = texts[0], .path = texts[1], .request_id = texts[2], .status = 200,
        .bytes = UINT64_MAX, .queue_us = 1500, .application_us = INT64_MAX, .worker = 3, .generation = 7};
}

static void print_lines(enum coppice_access_format format) {
    size_t lengths[KINDS];
    while (scanf("%zu %zu %zu", &lengths[0], &lengths[1], &lengths[2]) == KINDS) {
        struct coppice_access_text texts[KINDS];
        char *line = malloc(COPPICE_ACCESS_LINE_BYTES);
        CHECK(getchar() == '\n');
        for (int i = 0; i < KINDS; i++) {
            char *bytes = malloc(lengths[i]);
            CHECK(fread(bytes, 1, lengths[i], stdin) == lengths[i]);
            texts[i] = (struct coppice_access_text){bytes, lengths[i]};
        }
        struct coppice_access_entry entry = entry_with(texts);
        size_t length = coppice_access_line(line, format, &entry);
        CHECK(length <= COPPICE_ACCESS_LINE_BYTES && memchr(line, '\n', length) == line + length - 1);
        fwrite(line, 1, length, stdout);
        for (int i = 0; i < KINDS; i++) free((char *)(uintptr_t)texts[i].bytes);
        free(line);
    }
}

static void print_bare_line(enum coppice_access_format format) {
    char line[COPPICE_ACCESS_LINE_BYTES];
    struct coppice_access_entry entry = {
        .time_ms = 1795348800999, .queue_us = -1, .application_us = -1, .worker = -1, .cause = "client gone"};
    fwrite(line, 1, coppice_access_line(line, format, &entry), stdout);
}

static void add_line(uint64_t *random) {
    struct coppice_access_text texts[KINDS] = {{"GET", 3}, {path, check_random(random, sizeof(path))}, {"", 0}};
    struct coppice_access_entry entry = entry_with(texts);
    coppice_access_log_add(&access_log, &entry);
}

/* Answers how many lines could be read; each is a whole one. */
static uint64_t drain(int fd) {
    static char bytes[2 * PIPE_BYTES];
    uint64_t lines = 0;
    size_t used = 0;
    ssize_t count;
    while ((count = read(fd, bytes + used, sizeof(bytes) - used)) > 0) {
        used += (size_t)count;
        char *end;
        while ((end = memchr(bytes, '\n', used))) {
            CHECK(memcmp(bytes, "time=", 5) == 0);
            lines++;
            used -= (size_t)(end + 1 - bytes);
            memmove(bytes, end + 1, used);
        }
    }
    CHECK(used == 0);
    return lines;
}

static void check_pipe(void) {
    int ends[2], others[2];
    uint64_t random = 7, added = 0, seen = 0;
    signal(SIGPIPE, SIG_IGN);
    memset(path, 'x', sizeof(path));
    CHECK(pipe(ends) == 0 && pipe(others) == 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fcntl(others[0], F_SETFL, O_NONBLOCK);
    coppice_access_log_init(&access_log, ends[1], COPPICE_ACCESS_TEXT);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 100; i++, added++) add_line(&random);
        coppice_access_log_flush(&access_log);
        if (round % 3 == 0) seen += drain(ends[0]);
    }
    CHECK(access_log.dropped > 0 && access_log.used > 0); /* the reader is slow */
    do seen += drain(ends[0]);
    while (!coppice_access_log_flush(&access_log));
    seen += drain(ends[0]);
    CHECK(seen + access_log.dropped == added);

    for (int i = 0; i < 5; i++, added++) add_line(&random);
    CHECK(coppice_access_log_reopen(&access_log, others[1]) == ends[1]);
    CHECK(drain(ends[0]) == 5);
    add_line(&random);
    CHECK(coppice_access_log_flush(&access_log) && drain(others[0]) == 1);

    uint64_t dropped = access_log.dropped;
    close(others[0]);
    add_line(&random);
    CHECK(coppice_access_log_flush(&access_log) && access_log.dropped == dropped + 1); /* nobody reads it */
    coppice_access_log_reopen(&access_log, -1);
    add_line(&random);
    CHECK(coppice_access_log_flush(&access_log) && access_log.dropped == dropped + 1);
}

static uint64_t lines_of_file(int fd) {
    CHECK(lseek(fd, 0, SEEK_SET) == 0);
    return drain(fd);
}

static void check_file(void) {
    int first = memfd_create("first", 0), second = memfd_create("second", 0);
    uint64_t random = 7;
    memset(path, 'x', sizeof(path));
    coppice_access_log_init(&access_log, first, COPPICE_ACCESS_TEXT);
    for (int i = 0; i < 100; i++) add_line(&random);
    CHECK(coppice_access_log_flush(&access_log) && lines_of_file(first) == 100);
    coppice_access_log_reopen(&access_log, second);
    add_line(&random);
    CHECK(coppice_access_log_flush(&access_log) && lines_of_file(second) == 1);
    CHECK(access_log.dropped == 0);
}

static void print_ids(int count) {
    static struct coppice_request_ids ids;
    for (int i = 0; i < count; i++) {
        char id[COPPICE_REQUEST_ID_BYTES + 1];
        CHECK(coppice_request_id_make(&ids, id));
        puts(id);
    }
}

int main(int count, char **arguments) {
    CHECK(count > 1);
    bool json = count > 2 && strcmp(arguments[2], "json") == 0;
    enum coppice_access_format format = json ? COPPICE_ACCESS_JSON : COPPICE_ACCESS_TEXT;
    if (strcmp(arguments[1], "lines") == 0) print_lines(format);
    if (strcmp(arguments[1], "bare") == 0) print_bare_line(format);
    if (strcmp(arguments[1], "pipe") == 0) check_pipe();
    if (strcmp(arguments[1], "file") == 0) check_file();
    if (strcmp(arguments[1], "ids") == 0) print_ids(atoi(arguments[2]));
    return EXIT_SUCCESS;
}
