/*
 * Reads PROXY headers for the tests. Standard input holds cases, each a line with a number and then as many bytes. One
 * line is printed for each: the verdict, and of a complete header its length, addresses and ports,
 * and whether it says https.
 */

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>

#include "check.h"
#include "proxy_harness.h"

static void print_address(const struct coppice_lobby_address *address) {
    char text[INET6_ADDRSTRLEN] = "unix";
    if (address->family != AF_UNIX) CHECK(inet_ntop(address->family, address->bytes, text, sizeof(text)));
    printf(" %s %u", text, address->port);
}

int main(void) {
    static const char *const verdicts[] = {"incomplete", "complete", "refused", "too long"};
    size_t length;
    while (scanf("%zu", &length) == 1) {
        char *input = malloc(length + 1);
        struct coppice_proxy_header header;
        CHECK(getchar() == '\n' && fread(input, 1, length, stdin) == length);
        enum coppice_proxy_result result = harness_read_proxy(input, length, &header);
        printf("%s", verdicts[result]);
        if (result == COPPICE_PROXY_COMPLETE) printf(" %zu", header.length);
        if (result == COPPICE_PROXY_COMPLETE && header.known) {
            print_address(&header.client);
            print_address(&header.server);
            if (header.https) printf(" https");
        }
        puts("");
        free(input);
    }
    return EXIT_SUCCESS;
}
