#include "http.h"

/* Short names, so that the table keeps the shape of an ASCII chart. */
enum {
    ____ = 0,
    valu = COPPICE_BYTE_VALUE,
    hash = valu | COPPICE_BYTE_TOKEN, /* never in a target: fragments stay at the client */
    quer = valu | COPPICE_BYTE_QUERY,
    targ = quer | COPPICE_BYTE_PATH,
    deli = targ | COPPICE_BYTE_AUTHORITY,
    tokn = targ | COPPICE_BYTE_TOKEN,
    name = deli | tokn | COPPICE_BYTE_HOST
};

/* RFC 9110 5.6.2 (token) and 5.5 (field value). Targets are wider than RFC 3986: browsers send " < > ^ ` { | } as
 * they are. A backslash in a path is refused: some programs take it for a slash, so that two may see two paths. */
const uint8_t coppice_byte_classes[256] = {
    /* 00 */ ____, ____, ____, ____, ____, ____, ____, ____, ____, valu, ____, ____, ____, ____, ____, ____,
    /* 10 */ ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____,
    /*  ! */ valu, tokn, targ, hash, tokn, tokn, tokn, tokn, targ, targ, tokn, tokn, targ, name, name, targ,
    /* 01 */ name, name, name, name, name, name, name, name, name, name, deli, targ, targ, targ, targ, quer,
    /* @A */ targ, name, name, name, name, name, name, name, name, name, name, name, name, name, name, name,
    /* PQ */ name, name, name, name, name, name, name, name, name, name, name, deli, quer, deli, tokn, name,
    /* `a */ tokn, name, name, name, name, name, name, name, name, name, name, name, name, name, name, name,
    /* pq */ name, name, name, name, name, name, name, name, name, name, name, targ, tokn, targ, name, ____,
    /* 80 */ valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu,
    /* 90 */ valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu,
    /* a0 */ valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu,
    /* b0 */ valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu,
    /* c0 */ valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu,
    /* d0 */ valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu,
    /* e0 */ valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu,
    /* f0 */ valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu, valu,
};

bool coppice_bytes_match(const uint8_t *bytes, size_t length, const char *lower, size_t lower_length) {
    if (length != lower_length) return false;
    for (size_t i = 0; i < length; i++) {
        if (coppice_byte_lower(bytes[i]) != (uint8_t)lower[i]) return false;
    }
    return true;
}
