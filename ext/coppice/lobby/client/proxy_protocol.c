#include "proxy_protocol.h"

#include <string.h>
#include <sys/socket.h>

enum { WORDS = 6 };
enum { V2_FIXED_BYTES = 16, V2_EXTENSION_BYTES = 3, V2_TLS_BYTES = 5 };
enum { V2_UNKNOWN, V2_IPV4, V2_IPV6, V2_UNIX }; /* families */
enum { V2_TLS = 0x20, V2_CLIENT_USED_TLS = 1 };

static const char v1_start[] = "PROXY ";
static const char v2_start[] = "\r\n\r\n\0\r\nQUIT\n";

static bool begins(const char *bytes, size_t length, const char *start, size_t start_length) {
    return memcmp(bytes, start, length < start_length ? length : start_length) == 0;
}

/* Version 1: PROXY TCP4|TCP6|UNKNOWN CLIENT SERVER PORT PORT, divided by single spaces. */

struct word {
    const char *at;
    size_t length;
};

static int split(const char *line, size_t length, struct word *words) {
    int count = 0;
    const char *end = line + length;
    for (const char *at = line; count < WORDS; at++) {
        const char *space = memchr(at, ' ', (size_t)(end - at));
        words[count++] = (struct word){at, (size_t)((space ? space : end) - at)};
        if (!space) return count;
        at = space;
    }
    return WORDS + 1;
}

static bool is(struct word word, const char *text) {
    return word.length == strlen(text) && memcmp(word.at, text, word.length) == 0;
}

/* An address of IPv6 has a colon, one of IPv4 none. */
static bool read_address(struct word word, bool ipv6, struct coppice_lobby_address *address) {
    bool colon = memchr(word.at, ':', word.length) != NULL;
    return colon == ipv6 && coppice_lobby_address_read(address, word.at, word.length);
}

static bool read_port(struct word word, uint16_t *port) {
    uint32_t number = 0;
    if (word.length == 0 || word.length > 5 || (word.at[0] == '0' && word.length > 1)) return false;
    for (size_t i = 0; i < word.length; i++) {
        if (word.at[i] < '0' || word.at[i] > '9') return false;
        number = number * 10 + (uint32_t)(word.at[i] - '0');
    }
    *port = (uint16_t)number;
    return number <= UINT16_MAX;
}

static bool read_line(const char *line, size_t length, struct coppice_proxy_header *header) {
    struct word words[WORDS];
    int count = split(line, length, words);
    if (count >= 2 && is(words[1], "UNKNOWN")) return true; /* what follows is to be ignored */
    if (count != WORDS) return false;
    bool ipv6 = is(words[1], "TCP6");
    if (!ipv6 && !is(words[1], "TCP4")) return false;
    header->known = true;
    return read_address(words[2], ipv6, &header->client) && read_address(words[3], ipv6, &header->server) &&
           read_port(words[4], &header->client.port) && read_port(words[5], &header->server.port);
}

static enum coppice_proxy_result parse_v1(const char *bytes, size_t length, struct coppice_proxy_header *header) {
    size_t line = 0, most = length < COPPICE_PROXY_V1_BYTES ? length : COPPICE_PROXY_V1_BYTES;
    while (line < most && bytes[line] >= ' ' && bytes[line] <= '~') line++;
    if (line == most) return most < COPPICE_PROXY_V1_BYTES ? COPPICE_PROXY_INCOMPLETE : COPPICE_PROXY_REFUSED;
    if (bytes[line] != '\r' || line + 2 > COPPICE_PROXY_V1_BYTES) return COPPICE_PROXY_REFUSED;
    if (line + 1 == length) return COPPICE_PROXY_INCOMPLETE;
    if (bytes[line + 1] != '\n' || !read_line(bytes, line, header)) return COPPICE_PROXY_REFUSED;
    header->length = line + 2;
    return COPPICE_PROXY_COMPLETE;
}

/* Version 2: 12 bytes that are no HTTP, version and command, family and transport, length; the addresses; extensions. */

static void copy_addresses(const char *bytes, int family, size_t each, struct coppice_proxy_header *header) {
    const unsigned char *ports = (const unsigned char *)bytes + 2 * each;
    coppice_lobby_address_set(&header->client, family, bytes);
    coppice_lobby_address_set(&header->server, family, bytes + each);
    header->client.port = (uint16_t)(ports[0] << 8 | ports[1]);
    header->server.port = (uint16_t)(ports[2] << 8 | ports[3]);
}

static void read_addresses(unsigned family, const char *bytes, struct coppice_proxy_header *header) {
    header->known = true;
    if (family == V2_IPV4) {
        copy_addresses(bytes, AF_INET, 4, header);
    } else if (family == V2_IPV6) {
        copy_addresses(bytes, AF_INET6, 16, header);
    } else {
        header->client.family = header->server.family = AF_UNIX;
    }
}

/* Each has a type, a length of two bytes and a value. The value of TLS begins with a byte of flags and four of its
 * check of the client's certificate; other types are skipped, also the checksum, which a receiver need not support. */
static bool read_extensions(const char *bytes, size_t length, struct coppice_proxy_header *header) {
    const unsigned char *extension = (const unsigned char *)bytes;
    while (length > 0) {
        if (length < V2_EXTENSION_BYTES) return false;
        size_t value = (size_t)(extension[1] << 8 | extension[2]);
        if (value > length - V2_EXTENSION_BYTES) return false;
        if (extension[0] == V2_TLS) {
            if (value < V2_TLS_BYTES) return false;
            header->tls_known = true;
            header->https = extension[V2_EXTENSION_BYTES] & V2_CLIENT_USED_TLS;
        }
        extension += V2_EXTENSION_BYTES + value;
        length -= V2_EXTENSION_BYTES + value;
    }
    return true;
}

/* What is behind the fixed part; of a family that the proxy does not know it is to be ignored. */
static bool read_rest(unsigned family, const char *bytes, size_t length, struct coppice_proxy_header *header) {
    static const size_t address_bytes[] = {[V2_IPV4] = 12, [V2_IPV6] = 36, [V2_UNIX] = 216};
    if (family == V2_UNKNOWN) return true;
    if (length < address_bytes[family]) return false;
    read_addresses(family, bytes, header);
    return read_extensions(bytes + address_bytes[family], length - address_bytes[family], header);
}

static enum coppice_proxy_result parse_v2(const char *bytes, size_t length, struct coppice_proxy_header *header) {
    const unsigned char *fixed = (const unsigned char *)bytes + sizeof(v2_start) - 1;
    size_t there = length - (sizeof(v2_start) - 1);
    if (there > 0 && fixed[0] != 0x20 && fixed[0] != 0x21) return COPPICE_PROXY_REFUSED;
    if (there > 1 && (fixed[1] >> 4 > 3 || (fixed[1] & 15) > 2)) return COPPICE_PROXY_REFUSED;
    if (there < 4) return COPPICE_PROXY_INCOMPLETE;
    size_t rest = (size_t)(fixed[2] << 8 | fixed[3]);
    if (V2_FIXED_BYTES + rest > COPPICE_PROXY_V2_BYTES) return COPPICE_PROXY_TOO_LONG;
    if (length < V2_FIXED_BYTES + rest) return COPPICE_PROXY_INCOMPLETE;
    bool local = fixed[0] == 0x20;
    if (!local && !read_rest(fixed[1] >> 4, bytes + V2_FIXED_BYTES, rest, header)) return COPPICE_PROXY_REFUSED;
    header->length = V2_FIXED_BYTES + rest;
    return COPPICE_PROXY_COMPLETE;
}

enum coppice_proxy_result coppice_proxy_parse(const char *bytes, size_t length, struct coppice_proxy_header *header) {
    size_t v1_length = sizeof(v1_start) - 1, v2_length = sizeof(v2_start) - 1;
    *header = (struct coppice_proxy_header){.length = 0};
    if (begins(bytes, length, v1_start, v1_length)) {
        return length < v1_length ? COPPICE_PROXY_INCOMPLETE : parse_v1(bytes, length, header);
    }
    if (begins(bytes, length, v2_start, v2_length)) {
        return length < v2_length ? COPPICE_PROXY_INCOMPLETE : parse_v2(bytes, length, header);
    }
    return COPPICE_PROXY_REFUSED;
}
