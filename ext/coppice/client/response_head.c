#include "response_head.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "response_fields.h"
#include "shared/status_line.h"

struct head {
    struct coppice_byte_buffer *output;
    bool joined_lines;
    bool has_date;
    bool has_length;
    uint64_t length;
    bool chunked;  /* by the application */
    bool upgrade;  /* its connection header says so */
    bool close;    /* and this as well */
    VALUE protocol; /* rack.protocol, or nil */
};

static VALUE single_text(VALUE name, VALUE value) {
    if (RB_TYPE_P(value, T_ARRAY) && RARRAY_LEN(value) == 1) value = RARRAY_AREF(value, 0);
    if (RB_TYPE_P(value, T_ARRAY)) coppice_raise_response_error("header %+" PRIsVALUE " has several values", name);
    return rb_obj_as_string(value);
}

static void take_length(struct head *head, VALUE name, VALUE value) {
    VALUE text = single_text(name, value);
    const char *digits = RSTRING_PTR(text);
    long count = RSTRING_LEN(text);
    uint64_t length = 0;
    bool good = count > 0 && count <= 18; /* so many digits cannot overflow, and no file is larger */
    for (long i = 0; good && i < count; i++) {
        good = digits[i] >= '0' && digits[i] <= '9';
        length = length * 10 + (uint64_t)(digits[i] - '0');
    }
    if (!good) coppice_raise_response_error("content-length is %+" PRIsVALUE ", not a number of bytes", text);
    if (head->has_length && head->length != length) coppice_raise_response_error("content-length is given twice");
    head->has_length = true;
    head->length = length;
}

static void take_transfer_encoding(struct head *head, VALUE name, VALUE value) {
    VALUE text = single_text(name, value);
    if (RSTRING_LEN(text) != 7 || strncasecmp(RSTRING_PTR(text), "chunked", 7) != 0) {
        coppice_raise_response_error("transfer-encoding is %+" PRIsVALUE ", only \"chunked\" can be passed on", text);
    }
    head->chunked = true;
}

static bool mentions(VALUE text, const char *option) {
    const char *bytes = RSTRING_PTR(text);
    long length = (long)strlen(option);
    for (long i = 0; i + length <= RSTRING_LEN(text); i++) {
        if (strncasecmp(bytes + i, option, (size_t)length) == 0) return true;
    }
    return false;
}

static void take_connection(struct head *head, VALUE name, VALUE value) {
    VALUE text = single_text(name, value);
    if (mentions(text, "close")) head->close = true;
    if (!mentions(text, "upgrade")) return; /* the server says itself whether the connection stays open */
    head->upgrade = true;
    coppice_field_append(head->output, name, text, false);
}

static int append_header(VALUE key, VALUE value, VALUE pointer) {
    struct head *head = (struct head *)pointer;
    VALUE name = coppice_field_name(key);
    if (NIL_P(value)) return ST_CONTINUE;
    switch (coppice_field_role(name)) {
    case COPPICE_FIELD_PRIVATE:
        return ST_CONTINUE;
    case COPPICE_FIELD_PROTOCOL:
        head->protocol = value;
        return ST_CONTINUE;
    case COPPICE_FIELD_CONTENT_LENGTH:
        take_length(head, name, value);
        return ST_CONTINUE;
    case COPPICE_FIELD_TRANSFER_ENCODING:
        take_transfer_encoding(head, name, value);
        return ST_CONTINUE;
    case COPPICE_FIELD_CONNECTION:
        take_connection(head, name, value);
        return ST_CONTINUE;
    case COPPICE_FIELD_DATE:
        head->has_date = true;
        break;
    case COPPICE_FIELD_PLAIN:
        break;
    }
    coppice_field_append(head->output, name, value, head->joined_lines);
    return ST_CONTINUE;
}

static int append_plain_header(VALUE key, VALUE value, VALUE pointer) {
    struct head *head = (struct head *)pointer;
    VALUE name = coppice_field_name(key);
    enum coppice_field_role role = coppice_field_role(name);
    if (role == COPPICE_FIELD_PLAIN || role == COPPICE_FIELD_DATE) {
        coppice_field_append(head->output, name, value, head->joined_lines);
    }
    return ST_CONTINUE;
}

static void check_headers(VALUE headers) {
    if (!RB_TYPE_P(headers, T_HASH)) {
        coppice_raise_response_error("headers are of class %" PRIsVALUE ", not a Hash", rb_obj_class(headers));
    }
}

/* 100 to 999, as an Integer or in digits. */
static int status_code(VALUE status, bool http10) {
    VALUE number = RB_TYPE_P(status, T_STRING) ? rb_funcall(status, rb_intern("to_i"), 0) : status;
    if (!FIXNUM_P(number) || FIX2LONG(number) < 100 || FIX2LONG(number) > 999) {
        coppice_raise_response_error("status is %+" PRIsVALUE ", not an Integer from 100 to 999", status);
    }
    if (FIX2INT(number) < 200 && FIX2INT(number) != 101) {
        coppice_raise_response_error("status %d is not a final one: send early hints with rack.early_hints",
                                     FIX2INT(number));
    }
    if (FIX2INT(number) == 101 && http10) coppice_raise_response_error("status 101 for an HTTP/1.0 client");
    return FIX2INT(number);
}

static bool opens_tunnel(int status, const struct coppice_response_request *request) {
    return request->connect && status >= 200 && status < 300;
}

static bool has_no_body(int status, const struct coppice_response_request *request) {
    return status == 101 || status == 204 || status == 205 || status == 304 || opens_tunnel(status, request);
}

static void append_length(struct head *head, uint64_t length) {
    char line[48];
    int count = snprintf(line, sizeof(line), "content-length: %" PRIu64 "\r\n", length);
    coppice_byte_buffer_append(head->output, line, (size_t)count);
}

/* The application makes the chunks. */
static void append_chunked(struct head *head, bool http10) {
    if (http10) coppice_raise_response_error("transfer-encoding: chunked for an HTTP/1.0 client");
    coppice_byte_buffer_append(head->output, "transfer-encoding: chunked\r\n", 28);
}

/* Appends what frames a body that is sent. */
static struct coppice_framing frame_body(struct head *head, int64_t body_length, bool http10) {
    if (body_length == COPPICE_LENGTH_NOT_OURS) {
        if (head->chunked) append_chunked(head, http10);
        else if (head->has_length) append_length(head, head->length);
        return (struct coppice_framing){.kind = COPPICE_FRAMING_UNTIL_CLOSE};
    }
    if (head->chunked) {
        append_chunked(head, http10);
        return (struct coppice_framing){.kind = COPPICE_FRAMING_AS_GIVEN};
    }
    if (head->has_length || body_length >= 0) {
        uint64_t length = head->has_length ? head->length : (uint64_t)body_length;
        append_length(head, length);
        return (struct coppice_framing){.kind = COPPICE_FRAMING_LENGTH, .remaining = length};
    }
    if (http10) return (struct coppice_framing){.kind = COPPICE_FRAMING_UNTIL_CLOSE};
    coppice_byte_buffer_append(head->output, "transfer-encoding: chunked\r\n", 28);
    return (struct coppice_framing){.kind = COPPICE_FRAMING_CHUNKED};
}

/* The content-length of a body that is not sent: for HEAD and 304 that of a GET, if it is known and would be sent (RFC
 * 9110 8.6): not with chunks that the application makes. */
static struct coppice_framing frame_nothing(struct head *head, int status, int64_t body_length,
                                            const struct coppice_response_request *request) {
    if (status == 205) {
        append_length(head, 0);
    } else if (!head->chunked && (status == 304 || (request->head && !has_no_body(status, request)))) {
        if (head->has_length) {
            append_length(head, head->length);
        } else if (body_length > 0 && status != 304) {
            append_length(head, (uint64_t)body_length);
        }
    }
    return (struct coppice_framing){.kind = COPPICE_FRAMING_NONE};
}

/* Only a response whose end the server knows keeps the connection: chunks that the application makes may be wrong. */
static bool keeps_connection(const struct head *head, const struct coppice_framing *framing,
                             const struct coppice_response_request *request) {
    return request->keep && !head->close && !head->upgrade && framing->status != 101 &&
           !opens_tunnel(framing->status, request) && framing->kind != COPPICE_FRAMING_AS_GIVEN &&
           framing->kind != COPPICE_FRAMING_UNTIL_CLOSE;
}

static void append_connection(struct head *head, const struct coppice_framing *framing, bool http10) {
    int status = framing->status;
    if (framing->keep) {
        if (http10) coppice_byte_buffer_append(head->output, "connection: keep-alive\r\n", 24);
        return;
    }
    if (status == 101 && !NIL_P(head->protocol)) {
        coppice_field_append(head->output, rb_str_new_cstr("upgrade"), head->protocol, false);
        if (head->upgrade) return;
        head->upgrade = true;
        coppice_byte_buffer_append(head->output, "connection: upgrade\r\n", 21);
    }
    if (status != 101 || !head->upgrade) coppice_byte_buffer_append(head->output, "connection: close\r\n", 19);
}

struct coppice_framing coppice_response_head(struct coppice_byte_buffer *output, VALUE status, VALUE headers,
                                             int64_t body_length, const struct coppice_response_request *request) {
    struct head head = {.output = output, .joined_lines = request->joined_lines, .protocol = Qnil};
    int code = status_code(status, request->http10);
    check_headers(headers);
    coppice_status_line_append(output, code);
    rb_hash_foreach(headers, append_header, (VALUE)&head);
    if (!head.has_date) coppice_date_line_append(output);
    bool no_body = request->head || (has_no_body(code, request) && body_length != COPPICE_LENGTH_NOT_OURS);
    struct coppice_framing framing =
        no_body ? frame_nothing(&head, code, body_length, request) : frame_body(&head, body_length, request->http10);
    framing.status = code;
    /* What the application sends on a socket that it has taken ends with the connection, also behind the head for HEAD. */
    framing.keep = body_length != COPPICE_LENGTH_NOT_OURS && keeps_connection(&head, &framing, request);
    append_connection(&head, &framing, request->http10);
    coppice_byte_buffer_append(output, "\r\n", 2);
    return framing;
}

void coppice_response_fields(struct coppice_byte_buffer *output, VALUE headers, bool joined_lines) {
    struct head head = {.output = output, .joined_lines = joined_lines, .protocol = Qnil};
    check_headers(headers);
    rb_hash_foreach(headers, append_plain_header, (VALUE)&head);
}
