/*
 * Reads X-Forwarded-For for the tests. Standard input holds cases, each a line with a number and the peer ("unix" or an
 * address of IPv4), and then as many bytes: the values, one a line. One line is printed for each: the client.
 */

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "check.h"
#include "forwarded_harness.h"

static struct coppice_lobby_address address_of(const char *text) {
    struct coppice_lobby_address address = {.family = AF_UNIX};
    if (strcmp(text, "unix") == 0) return address;
    address.family = AF_INET;
    CHECK(inet_pton(AF_INET, text, address.bytes) == 1);
    return address;
}

int main(void) {
    size_t length;
    char peer[INET_ADDRSTRLEN], text[INET6_ADDRSTRLEN];
    while (scanf("%zu %15s", &length, peer) == 2) {
        char *input = malloc(length + 1);
        CHECK(getchar() == '\n' && fread(input, 1, length, stdin) == length);
        struct coppice_lobby_address from = address_of(peer), client = harness_forwarded_for(input, length, &from);
        puts(client.family == AF_UNIX ? "unix" : inet_ntop(client.family, client.bytes, text, sizeof(text)));
        free(input);
    }
    return EXIT_SUCCESS;
}
