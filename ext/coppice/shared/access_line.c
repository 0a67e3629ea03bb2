/* One line of the access log: pairs of a name and a value, as text (name=value) or as one JSON object. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "access_log.h"

/* The longest value of each kind, escaped. Together they fit into a line. */
enum { PATH_BYTES = 2048, METHOD_BYTES = 64, ID_BYTES = 256, CAUSE_BYTES = 128, CLIENT_BYTES = 64 };

static const char cut[] = "...";

struct line {
    char *bytes;
    size_t length;
    bool json;
};

static void append(struct line *line, const char *bytes, size_t length) {
    if (length > COPPICE_ACCESS_LINE_BYTES - line->length) length = COPPICE_ACCESS_LINE_BYTES - line->length;
    memcpy(line->bytes + line->length, bytes, length);
    line->length += length;
}

__attribute__((format(printf, 2, 3))) static void append_format(struct line *line, const char *format, ...) {
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    append(line, text, (size_t)length);
}

static void append_name(struct line *line, const char *name) {
    bool first = line->length == (size_t)line->json;
    append(line, line->json ? "," : " ", first ? 0 : 1);
    append_format(line, line->json ? "\"%s\":" : "%s=", name);
}

static bool plain(unsigned char byte, bool json) {
    return byte > ' ' && byte < 0x7f && byte != '"' && byte != '\\' && (json || byte != '=');
}

static bool all_plain(struct coppice_access_text text) {
    for (size_t i = 0; i < text.length; i++) {
        if (!plain((unsigned char)text.bytes[i], false)) return false;
    }
    return true;
}

static void append_byte(struct line *line, unsigned char byte) {
    if (plain(byte, true) || byte == ' ') {
        append(line, (const char *)&byte, 1);
    } else if (byte == '"' || byte == '\\') {
        append_format(line, "\\%c", byte);
    } else {
        append_format(line, line->json ? "\\u%04x" : "\\x%02x", byte);
    }
}

static void append_string(struct line *line, const char *name, struct coppice_access_text text, size_t most) {
    if (text.length == 0) return;
    append_name(line, name);
    bool quoted = line->json || !all_plain(text);
    append(line, "\"", quoted);
    size_t end = line->length + most - sizeof(cut) - 6; /* with room for one more byte, escaped */
    size_t i = 0;
    for (; i < text.length && line->length < end; i++) append_byte(line, (unsigned char)text.bytes[i]);
    if (i < text.length) append(line, cut, sizeof(cut) - 1);
    append(line, "\"", quoted);
}

static struct coppice_access_text text_of(const char *text) {
    return (struct coppice_access_text){text, text ? strlen(text) : 0};
}

/* The date is made once a second. */
static void append_time(struct line *line, int64_t time_ms) {
    static time_t made;
    static char date[32];
    time_t seconds = (time_t)(time_ms / 1000);
    struct tm utc;
    if (seconds != made && gmtime_r(&seconds, &utc)) {
        strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &utc);
        made = seconds;
    }
    append_name(line, "time");
    append_format(line, line->json ? "\"%s.%03dZ\"" : "%s.%03dZ", date, (int)(time_ms % 1000));
}

static void append_client(struct line *line, const struct coppice_lobby_address *client) {
    char text[INET6_ADDRSTRLEN] = "unix";
    bool address = coppice_lobby_address_is_ip(client);
    if (address) inet_ntop(client->family, client->bytes, text, sizeof(text));
    if (address || client->family == AF_UNIX) append_string(line, "client", text_of(text), CLIENT_BYTES);
}

static void append_ms(struct line *line, const char *name, int64_t us) {
    if (us < 0) return;
    append_name(line, name);
    append_format(line, "%" PRId64 ".%03d", us / 1000, (int)(us % 1000));
}

static void append_number(struct line *line, const char *name, uint64_t number) {
    append_name(line, name);
    append_format(line, "%" PRIu64, number);
}

size_t coppice_access_line(char *bytes, enum coppice_access_format format, const struct coppice_access_entry *entry) {
    struct line line = {.bytes = bytes, .json = format == COPPICE_ACCESS_JSON};
    append(&line, "{", line.json);
    append_time(&line, entry->time_ms);
    append_client(&line, &entry->client);
    append_string(&line, "method", entry->method, METHOD_BYTES);
    append_string(&line, "path", entry->path, PATH_BYTES);
    append_number(&line, "status", (uint64_t)entry->status);
    append_number(&line, "bytes", entry->bytes);
    append_ms(&line, "queue_ms", entry->queue_us);
    append_ms(&line, "application_ms", entry->application_us);
    if (entry->worker >= 0) {
        append_number(&line, "worker", (uint64_t)entry->worker);
        append_number(&line, "generation", entry->generation);
    }
    append_string(&line, "request_id", entry->request_id, ID_BYTES);
    append_string(&line, "cause", text_of(entry->cause), CAUSE_BYTES);
    append(&line, line.json ? "}\n" : "\n", line.json ? 2 : 1);
    return line.length;
}
