#include "request_start.h"

#include "http/http.h"

enum { MAX_DIGITS = 16 };

#define SECONDS_END INT64_C(100000000000)         /* as seconds the year 5138, as milliseconds 1973 */
#define MILLISECONDS_END INT64_C(100000000000000) /* the same, a thousand times */
#define MAX_AGE_US INT64_C(3600000000)
#define MAX_AHEAD_US INT64_C(100000)

static int64_t unit_us(int64_t number) {
    if (number < SECONDS_END) return 1000000;
    return number < MILLISECONDS_END ? 1000 : 1;
}

int64_t coppice_request_start_age_us(const char *bytes, size_t length, int64_t now_us) {
    size_t at = length >= 2 && bytes[0] == 't' && bytes[1] == '=' ? 2 : 0;
    size_t begin = at;
    int64_t number = 0;
    for (; at < length && coppice_byte_is_digit((uint8_t)bytes[at]); at++) {
        if (at - begin >= MAX_DIGITS) return -1;
        number = number * 10 + (bytes[at] - '0');
    }
    if (at == begin) return -1;
    int64_t unit = unit_us(number);
    int64_t start_us = number * unit;
    if (at < length && bytes[at] == '.') {
        for (at++; at < length && coppice_byte_is_digit((uint8_t)bytes[at]); at++) {
            unit /= 10;
            start_us += (bytes[at] - '0') * unit;
        }
    }
    if (at < length && bytes[at] != ',' && bytes[at] != ' ') return -1; /* a list: the proxy that was first */
    int64_t age_us = now_us - start_us;
    if (age_us > MAX_AGE_US || age_us < -MAX_AHEAD_US) return -1;
    return age_us > 0 ? age_us : 0;
}
