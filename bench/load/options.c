#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static void refuse(const char *what, const char *which) {
    fprintf(stderr, "load: %s%s\n", what, which);
    exit(2);
}

static void split_paths(struct options *options, char *list) {
    for (char *path = strtok(list, ","); path; path = strtok(NULL, ",")) {
        if (options->path_count == MAX_PATHS) refuse("too many paths: ", path);
        options->paths[options->path_count++] = path;
    }
}

static void add_header(struct options *options, char *header) {
    if (options->header_count == MAX_HEADERS) refuse("too many headers: ", header);
    options->headers[options->header_count++] = header;
}

static bool set_flag(struct options *options, const char *name) {
    if (strcmp(name, "--keep-alive") == 0) options->keep_alive = true;
    else if (strcmp(name, "--bodies") == 0) options->bodies = true;
    else if (strcmp(name, "--each") == 0) options->each = true;
    else return false;
    return true;
}

static bool set_value(struct options *options, const char *name, char *value) {
    if (strcmp(name, "--clients") == 0) options->clients = atoi(value);
    else if (strcmp(name, "--requests") == 0) options->requests = strtoull(value, NULL, 10);
    else if (strcmp(name, "--seconds") == 0) options->seconds = atof(value);
    else if (strcmp(name, "--timeout") == 0) options->timeout = atof(value);
    else if (strcmp(name, "--rate") == 0) options->rate = atof(value);
    else if (strcmp(name, "--seed") == 0) options->seed = strtoull(value, NULL, 10);
    else if (strcmp(name, "--path") == 0) split_paths(options, value);
    else if (strcmp(name, "--modulus") == 0) options->modulus = strtoull(value, NULL, 10);
    else if (strcmp(name, "--header") == 0) add_header(options, value);
    else if (strcmp(name, "--post") == 0) options->post = value;
    else if (strcmp(name, "--length") == 0) options->length = atoll(value);
    else return false;
    return true;
}

struct options options_parse(int argc, char **argv) {
    struct options options = {
        .clients = 8, .requests = MAX_REQUESTS, .seconds = 5, .timeout = 10, .paths = { "/" }, .modulus = UINT32_MAX,
        .length = -1,
    };
    if (argc < 2) refuse("no port; the options are at the top of load.c", "");
    options.port = (uint16_t)atoi(argv[1]);

    for (int i = 2; i < argc; i++) {
        if (set_flag(&options, argv[i])) continue;
        if (i + 1 == argc) refuse("no such flag, or no value for it: ", argv[i]);
        if (!set_value(&options, argv[i], argv[i + 1])) refuse("no such option: ", argv[i]);
        i++;
    }
    if (options.path_count == 0) options.path_count = 1;
    if (options.clients < 1 || options.clients > MAX_CLIENTS) refuse("--clients is out of bounds", "");
    if (options.modulus == 0) refuse("--modulus is out of bounds", "");
    if (options.requests > MAX_REQUESTS) options.requests = MAX_REQUESTS; /* latencies are kept one by one */
    return options;
}
