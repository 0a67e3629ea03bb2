#ifndef COPPICE_STATUS_LINE_H
#define COPPICE_STATUS_LINE_H

#include "byte_buffer.h"

/* Appends "HTTP/1.1 200 OK\r\n"; status is 100 to 999. */
void coppice_status_line_append(struct coppice_byte_buffer *buffer, int status);

/* Appends "date: …\r\n". The text is made once a second. */
void coppice_date_line_append(struct coppice_byte_buffer *buffer);

#endif
