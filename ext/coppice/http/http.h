#ifndef COPPICE_HTTP_H
#define COPPICE_HTTP_H

/*
 * HTTP/1.x for servers, in pure C: no Ruby, no allocation, no global state, no I/O. This is the only header of this
 * folder for others: what a head says, the parser of heads, the decoder of chunked bodies, and which bytes may stand
 * where.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the parser found in a request's head: what a connection needs to make its env and to read the body.
 * It is one block without pointers: all places are offsets from the head's first byte. So it can be copied, or lie in
 * memory that processes share at different addresses, and a process that has it and the bytes need not parse again.
 */

struct coppice_span {
    uint32_t offset;
    uint32_t length;
};

struct coppice_field {
    struct coppice_span name;
    struct coppice_span value; /* without surrounding blanks */
};

struct coppice_request_head {
    uint64_t content_length;
    uint32_t length; /* with an empty line before it and the one that ends it: the body begins here; 0 until then */

    struct coppice_span method;
    struct coppice_span target;    /* the request target as sent */
    struct coppice_span path;      /* "/a/b"; "*" for OPTIONS *; empty for CONNECT and an absolute form without path */
    struct coppice_span query;     /* without "?" */
    struct coppice_span scheme;    /* of an absolute-form target, else empty */
    struct coppice_span authority; /* of an absolute-form or CONNECT target, else empty */
    struct coppice_span host;      /* the Host field's value; as authority, without the colon of an empty port */

    uint8_t minor_version; /* 0 or 1 */
    bool has_content_length;
    bool chunked;
    bool keep_alive;       /* what the client asks for: version and Connection */
    bool expects_continue; /* only in HTTP/1.1 and before a body */
    bool upgrade;          /* Connection: upgrade with an Upgrade field, in HTTP/1.1 */

    uint32_t field_count;
    struct coppice_field fields[]; /* as many as the owner has room for */
};

/* The bytes of a head with so many fields. */
static inline size_t coppice_request_head_size(uint32_t field_count) {
    return sizeof(struct coppice_request_head) + field_count * sizeof(struct coppice_field);
}

/* The value of the first field with this name, in lower case; without one an empty span. `bytes` are the head's. */
struct coppice_span coppice_request_field(const struct coppice_request_head *head, const char *bytes, const char *name);

/*
 * A strict parser of request heads. The caller owns the buffer and the head that is filled.
 *
 * The parser is incremental: call coppice_http_parse again with the same, longer buffer after each read (the buffer may
 * have moved: everything is kept as an offset). Each byte is looked at once, and a wrong byte is refused when it is seen,
 * so that a verdict never depends on how the bytes were split.
 */

enum coppice_http_result {
    COPPICE_HTTP_INCOMPLETE, /* every byte so far is good, more are needed */
    COPPICE_HTTP_COMPLETE,   /* parser->head says what it is and where it ends */
    COPPICE_HTTP_REFUSED     /* see parser->error */
};

/* Why a head was refused; coppice_http_error_status and _reason describe each. */
enum coppice_http_error {
    COPPICE_HTTP_OK = 0,
    COPPICE_HTTP_BAD_METHOD,             /* 400 */
    COPPICE_HTTP_UNKNOWN_METHOD,         /* 501 */
    COPPICE_HTTP_BAD_TARGET,             /* 400 */
    COPPICE_HTTP_LONG_REQUEST_LINE,      /* 414 */
    COPPICE_HTTP_BAD_VERSION,            /* 400 */
    COPPICE_HTTP_UNSUPPORTED_VERSION,    /* 505 */
    COPPICE_HTTP_BAD_LINE_END,           /* 400: bare LF, CR without LF */
    COPPICE_HTTP_BAD_FIELD_NAME,         /* 400 */
    COPPICE_HTTP_BAD_FIELD_VALUE,        /* 400 */
    COPPICE_HTTP_FOLDED_FIELD,           /* 400: obs-fold */
    COPPICE_HTTP_LARGE_HEAD,             /* 431: bytes */
    COPPICE_HTTP_MANY_FIELDS,            /* 431: count */
    COPPICE_HTTP_REPEATED_FIELD,         /* 400: Host, Content-Length, Content-Type, Authorization twice */
    COPPICE_HTTP_BAD_CONTENT_LENGTH,     /* 400 */
    COPPICE_HTTP_BAD_TRANSFER_ENCODING,  /* 400 */
    COPPICE_HTTP_UNKNOWN_TRANSFER_ENCODING, /* 501 */
    COPPICE_HTTP_AMBIGUOUS_LENGTH,       /* 400: Content-Length with Transfer-Encoding, TE in 1.0 */
    COPPICE_HTTP_BAD_HOST,               /* 400: missing in 1.1, malformed, or not the target's */
    COPPICE_HTTP_BAD_EXPECTATION,        /* 417 */
    COPPICE_HTTP_NOT_HTTP,               /* 400: a TLS hello */
    COPPICE_HTTP_HTTP2_PREFACE           /* 505 */
};

struct coppice_http_limits {
    uint32_t request_line_bytes; /* with its line end, and an empty line before it */
    uint32_t header_bytes;       /* the whole head */
};

struct coppice_http_parser {
    struct coppice_http_limits limits;
    struct coppice_request_head *head; /* the caller's: what was found so far, whole after COMPLETE */
    uint32_t field_capacity;           /* the head's room for fields is the limit of header lines */

    uint32_t position; /* bytes looked at */
    uint8_t state;
    enum coppice_http_error error;
    uint32_t mark; /* where the piece being read began */
    uint16_t seen; /* the fields met that frame or route: framing.c */
};

/* head: of at least coppice_request_head_size(field_capacity) bytes. */
void coppice_http_parser_init(struct coppice_http_parser *parser, const struct coppice_http_limits *limits,
                              struct coppice_request_head *head, uint32_t field_capacity);

/* A parser that goes on in another head, which has as much room: with the field that has begun, which field_count does
 * not count yet. */
void coppice_http_parser_move(struct coppice_http_parser *parser, const struct coppice_http_parser *from,
                              struct coppice_request_head *head);

/* buffer holds all bytes of the connection so far; length never shrinks between calls. */
enum coppice_http_result coppice_http_parse(struct coppice_http_parser *parser, const char *buffer, size_t length);

/* The answer's status for an error, and a sentence for people and logs. */
int coppice_http_error_status(enum coppice_http_error error);
const char *coppice_http_error_reason(enum coppice_http_error error);

/*
 * A strict decoder of the chunked transfer coding, without a copy. Each call walks over input bytes and hands back at
 * most one run of body bytes as a span into the input.
 */

enum coppice_chunked_result {
    COPPICE_CHUNKED_MORE,    /* all input is used up; call again with more */
    COPPICE_CHUNKED_DATA,    /* a run of body bytes: data_offset, data_length; call again with the rest */
    COPPICE_CHUNKED_END,     /* the last chunk and its trailers are read */
    COPPICE_CHUNKED_REFUSED  /* see decoder->error */
};

enum coppice_chunked_error {
    COPPICE_CHUNKED_OK = 0,
    COPPICE_CHUNKED_BAD_SIZE,          /* 400 */
    COPPICE_CHUNKED_BAD_EXTENSION,     /* 400 */
    COPPICE_CHUNKED_LARGE_EXTENSIONS,  /* 400 */
    COPPICE_CHUNKED_BAD_LINE_END,      /* 400 */
    COPPICE_CHUNKED_BAD_TRAILER,       /* 400 */
    COPPICE_CHUNKED_FORBIDDEN_TRAILER, /* 400: a field that frames or routes the message */
    COPPICE_CHUNKED_LARGE_TRAILERS,    /* 431 */
    COPPICE_CHUNKED_LARGE_BODY         /* 413 */
};

struct coppice_chunked_limits {
    uint64_t body_bytes;      /* decoded bytes; UINT64_MAX for none */
    uint32_t line_bytes;      /* one chunk-size line */
    uint32_t extension_bytes; /* all extensions of the body together */
    uint32_t trailer_bytes;
    uint32_t trailer_count;
};

struct coppice_chunked {
    struct coppice_chunked_limits limits;
    uint8_t state;
    enum coppice_chunked_error error;
    uint64_t remaining; /* of the chunk being read */
    uint64_t decoded;   /* body bytes handed out so far */
    uint32_t size_digits;
    uint32_t line_length;
    uint32_t extension_length;
    uint32_t trailer_length;
    uint32_t trailer_count;
    uint32_t name_length;
    char name[32]; /* start of the trailer name being read, lower case, to know the forbidden ones */
};

void coppice_chunked_init(struct coppice_chunked *decoder, const struct coppice_chunked_limits *limits);

/* Begins the body of a request: only its size is the user's choice. */
void coppice_chunked_init_request(struct coppice_chunked *decoder, uint64_t body_bytes);

/* Walks over input; *consumed bytes of it are done with. On DATA the run is input[*data_offset, *data_length]
 * and lies within the consumed bytes. */
enum coppice_chunked_result coppice_chunked_decode(struct coppice_chunked *decoder, const char *input, size_t length,
                                                   size_t *consumed, size_t *data_offset, size_t *data_length);

int coppice_chunked_error_status(enum coppice_chunked_error error);
const char *coppice_chunked_error_reason(enum coppice_chunked_error error);

/* Which bytes may stand where in HTTP, and how names are compared. */

enum coppice_byte_class {
    COPPICE_BYTE_TOKEN = 1,     /* tchar: methods, field names, extension names */
    COPPICE_BYTE_PATH = 2,      /* what ends a path, or has no place in one, is not in here */
    COPPICE_BYTE_QUERY = 4,     /* as path, and "?" and backslash */
    COPPICE_BYTE_HOST = 8,      /* a host's name or an IPv4 address */
    COPPICE_BYTE_AUTHORITY = 16, /* as host, and ":" "[" "]" */
    COPPICE_BYTE_VALUE = 32     /* field values: visible, blank or obs-text */
};

extern const uint8_t coppice_byte_classes[256];

static inline bool coppice_byte_is(uint8_t byte, uint8_t classes) {
    return coppice_byte_classes[byte] & classes;
}

static inline bool coppice_byte_is_digit(uint8_t byte) {
    return byte >= '0' && byte <= '9';
}

/* OWS of RFC 9110: a space or a tab. */
static inline bool coppice_byte_is_blank(uint8_t byte) {
    return byte == ' ' || byte == '\t';
}

static inline uint8_t coppice_byte_lower(uint8_t byte) {
    return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

/* Are these the same, whatever the case of ASCII letters? `lower` must be in lower case. */
bool coppice_bytes_match(const uint8_t *bytes, size_t length, const char *lower, size_t lower_length);

#endif
