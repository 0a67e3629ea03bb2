#ifndef COPPICE_RESPONSE_FIELDS_H
#define COPPICE_RESPONSE_FIELDS_H

#include <ruby.h>
#include <stdbool.h>

#include "shared/byte_buffer.h"

enum coppice_field_role {
    COPPICE_FIELD_PLAIN,
    COPPICE_FIELD_DATE,
    COPPICE_FIELD_CONTENT_LENGTH, /* the server makes this one and the next two */
    COPPICE_FIELD_TRANSFER_ENCODING,
    COPPICE_FIELD_CONNECTION,
    COPPICE_FIELD_PROTOCOL, /* rack.protocol */
    COPPICE_FIELD_PRIVATE   /* never sent: rack.*, keep-alive */
};

/* The header's name as a String that is a token, or Coppice::ResponseError. */
VALUE coppice_field_name(VALUE name);
enum coppice_field_role coppice_field_role(VALUE name);

/* Appends "name: value" lines. value is a String, an Array of them, or what turns into one without harm; nil is no
 * line at all. With joined_lines a line feed in a String separates several lines. Raises Coppice::ResponseError. */
void coppice_field_append(struct coppice_byte_buffer *output, VALUE name, VALUE value, bool joined_lines);

/* Raises Coppice::ResponseError. */
PRINTF_ARGS(NORETURN(void coppice_raise_response_error(const char *format, ...)), 1, 2);

#endif
