/* What the load generator is asked to do: its command line. */
#ifndef LOAD_OPTIONS_H
#define LOAD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_CLIENTS = 1024, MAX_PATHS = 64, MAX_HEADERS = 32, MAX_REQUESTS = 4000000 };

struct options {
    uint16_t port;
    int clients;
    uint64_t requests; /* at most */
    double seconds;    /* at most */
    double timeout;    /* seconds that one request may take */
    double rate;       /* requests that are due in a second; 0: each client sends the next one at once */
    uint64_t seed;     /* of the instants at which they are due */
    char *paths[MAX_PATHS];
    int path_count;
    uint64_t modulus;
    char *headers[MAX_HEADERS]; /* "Name: value", beyond those that every request has */
    int header_count;
    char *post;      /* NULL, or the file that is the body of each request */
    bool keep_alive; /* else a new connection for each request */
    int64_t length;  /* of the answer's body; -1: any */
    bool bodies;
    bool each; /* whether the report has each latency */
};

/* Says what is wrong and ends the program where it makes no sense. */
struct options options_parse(int argc, char **argv);

#endif
