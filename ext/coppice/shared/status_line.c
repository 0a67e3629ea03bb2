/* The lines of a response head that the server makes: status line and date. */
#include "status_line.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *reason_phrase(int status) {
    switch (status) {
    case 100: return "Continue";
    case 101: return "Switching Protocols";
    case 102: return "Processing";
    case 103: return "Early Hints";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 203: return "Non-Authoritative Information";
    case 204: return "No Content";
    case 205: return "Reset Content";
    case 206: return "Partial Content";
    case 207: return "Multi-Status";
    case 208: return "Already Reported";
    case 226: return "IM Used";
    case 300: return "Multiple Choices";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 305: return "Use Proxy";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 402: return "Payment Required";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 407: return "Proxy Authentication Required";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 416: return "Range Not Satisfiable";
    case 417: return "Expectation Failed";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 423: return "Locked";
    case 424: return "Failed Dependency";
    case 425: return "Too Early";
    case 426: return "Upgrade Required";
    case 428: return "Precondition Required";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 451: return "Unavailable For Legal Reasons";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    case 506: return "Variant Also Negotiates";
    case 507: return "Insufficient Storage";
    case 508: return "Loop Detected";
    case 511: return "Network Authentication Required";
    default: return "Unknown";
    }
}

void coppice_status_line_append(struct coppice_byte_buffer *buffer, int status) {
    char start[] = "HTTP/1.1 000 ";
    const char *reason = reason_phrase(status);
    start[9] = (char)('0' + status / 100);
    start[10] = (char)('0' + status / 10 % 10);
    start[11] = (char)('0' + status % 10);
    coppice_byte_buffer_append(buffer, start, sizeof(start) - 1);
    coppice_byte_buffer_append(buffer, reason, strlen(reason));
    coppice_byte_buffer_append(buffer, "\r\n", 2);
}

/* Not strftime: its names of days and months follow the locale. */
static int format_date(char *line, size_t capacity, time_t second) {
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct tm utc;
    gmtime_r(&second, &utc);
    return snprintf(line, capacity, "date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n", days[utc.tm_wday], utc.tm_mday,
                    months[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

void coppice_date_line_append(struct coppice_byte_buffer *buffer) {
    static char line[128];
    static size_t length;
    static time_t formatted;
    struct timespec now;
#ifdef CLOCK_REALTIME_COARSE
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
#else
    clock_gettime(CLOCK_REALTIME, &now);
#endif
    if (now.tv_sec != formatted) {
        length = (size_t)format_date(line, sizeof(line), now.tv_sec);
        formatted = now.tv_sec;
    }
    coppice_byte_buffer_append(buffer, line, length);
}
