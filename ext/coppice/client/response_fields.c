/* Header lines of an answer, each name and value checked before it is appended. */
#include "response_fields.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "http/http.h"

void coppice_raise_response_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    VALUE message = rb_vsprintf(format, arguments);
    va_end(arguments);
    rb_exc_raise(rb_exc_new_str(rb_path2class("Coppice::ResponseError"), message));
}

static bool is_token(VALUE name) {
    const unsigned char *bytes = (const unsigned char *)RSTRING_PTR(name);
    long length = RSTRING_LEN(name);
    for (long i = 0; i < length; i++) {
        if (!coppice_byte_is(bytes[i], COPPICE_BYTE_TOKEN)) return false;
    }
    return length > 0;
}

VALUE coppice_field_name(VALUE name) {
    if (SYMBOL_P(name)) name = rb_sym2str(name);
    if (!RB_TYPE_P(name, T_STRING)) coppice_raise_response_error("header name %+" PRIsVALUE " is not a String", name);
    if (!is_token(name)) coppice_raise_response_error("header name %+" PRIsVALUE " is not a token", name);
    return name;
}

static bool is_named(VALUE name, const char *wanted) {
    return strncasecmp(RSTRING_PTR(name), wanted, (size_t)RSTRING_LEN(name)) == 0;
}

enum coppice_field_role coppice_field_role(VALUE name) {
    long length = RSTRING_LEN(name);
    if (length > 5 && strncasecmp(RSTRING_PTR(name), "rack.", 5) == 0) {
        return length == 13 && is_named(name, "rack.protocol") ? COPPICE_FIELD_PROTOCOL : COPPICE_FIELD_PRIVATE;
    }
    if (length == 4 && is_named(name, "date")) return COPPICE_FIELD_DATE;
    if (length == 10 && is_named(name, "connection")) return COPPICE_FIELD_CONNECTION;
    if (length == 10 && is_named(name, "keep-alive")) return COPPICE_FIELD_PRIVATE;
    if (length == 14 && is_named(name, "content-length")) return COPPICE_FIELD_CONTENT_LENGTH;
    if (length == 17 && is_named(name, "transfer-encoding")) return COPPICE_FIELD_TRANSFER_ENCODING;
    return COPPICE_FIELD_PLAIN;
}

static void check_value(VALUE name, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '\r' || bytes[i] == '\n' || bytes[i] == '\0') {
            coppice_raise_response_error("header %+" PRIsVALUE " has a CR, LF or NUL in its value", name);
        }
    }
}

static void append_line(struct coppice_byte_buffer *output, VALUE name, const char *bytes, size_t length) {
    check_value(name, bytes, length);
    coppice_byte_buffer_reserve(output, (size_t)RSTRING_LEN(name) + length + 4);
    coppice_byte_buffer_append(output, RSTRING_PTR(name), (size_t)RSTRING_LEN(name));
    coppice_byte_buffer_append(output, ": ", 2);
    coppice_byte_buffer_append(output, bytes, length);
    coppice_byte_buffer_append(output, "\r\n", 2);
}

/* Rack 2: "a\nb" is two header lines. */
static void append_joined_lines(struct coppice_byte_buffer *output, VALUE name, const char *bytes, size_t length) {
    const char *end = bytes + length;
    while (bytes < end) {
        const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
        const char *stop = feed ? feed : end;
        append_line(output, name, bytes, (size_t)(stop - bytes));
        bytes = stop + 1;
    }
}

static void append_text(struct coppice_byte_buffer *output, VALUE name, VALUE text, bool joined_lines) {
    const char *bytes = RSTRING_PTR(text);
    size_t length = (size_t)RSTRING_LEN(text);
    if (joined_lines && length > 0) {
        append_joined_lines(output, name, bytes, length);
    } else {
        append_line(output, name, bytes, length);
    }
}

void coppice_field_append(struct coppice_byte_buffer *output, VALUE name, VALUE value, bool joined_lines) {
    if (NIL_P(value)) return;
    if (!RB_TYPE_P(value, T_ARRAY)) {
        VALUE text = rb_obj_as_string(value);
        append_text(output, name, text, joined_lines);
        RB_GC_GUARD(text);
        return;
    }
    for (long i = 0; i < RARRAY_LEN(value); i++) {
        VALUE text = rb_obj_as_string(RARRAY_AREF(value, i));
        append_line(output, name, RSTRING_PTR(text), (size_t)RSTRING_LEN(text));
        RB_GC_GUARD(text);
    }
}
