#ifndef COPPICE_REQUEST_START_H
#define COPPICE_REQUEST_START_H

/* The header X-Request-Start, in which a proxy says when a request reached it; pure C, no Ruby, no clock. */

#include <stddef.h>
#include <stdint.h>

/* How long before `now_us` (microseconds of Unix time) the request reached the proxy, in microseconds; -1 when the text
 * says no such time. It is "t=" or nothing, then seconds, milliseconds or microseconds, which their size tells apart,
 * perhaps with a fraction. A time more than an hour ago is a mistake, and one ahead is that of a clock that differs: up
 * to a tenth of a second it counts as none. */
int64_t coppice_request_start_age_us(const char *bytes, size_t length, int64_t now_us);

#endif
