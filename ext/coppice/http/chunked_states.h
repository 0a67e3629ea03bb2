#ifndef COPPICE_CHUNKED_STATES_H
#define COPPICE_CHUNKED_STATES_H

/* What the files of the decoder share. Not for the decoder's users. */

#include "http.h"

/* Named after what the next byte belongs to. */
enum coppice_chunked_state {
    CHUNKED_SIZE,
    CHUNKED_EXTENSION_START, /* after blanks: only an extension may follow */
    CHUNKED_EXTENSION_NAME_START,
    CHUNKED_EXTENSION_NAME,
    CHUNKED_EXTENSION_NAME_END,
    CHUNKED_EXTENSION_VALUE_START,
    CHUNKED_EXTENSION_TOKEN,
    CHUNKED_EXTENSION_QUOTED,
    CHUNKED_EXTENSION_ESCAPED,
    CHUNKED_EXTENSION_END,
    CHUNKED_SIZE_LF,
    CHUNKED_DATA,
    CHUNKED_DATA_CR,
    CHUNKED_DATA_LF,
    CHUNKED_TRAILER,
    CHUNKED_TRAILER_NAME,
    CHUNKED_TRAILER_VALUE,
    CHUNKED_TRAILER_LF,
    CHUNKED_LAST_LF,
    CHUNKED_END,
    CHUNKED_REFUSED
};

static inline void coppice_chunked_refuse(struct coppice_chunked *decoder, enum coppice_chunked_error error) {
    decoder->error = error;
    decoder->state = CHUNKED_REFUSED;
}

/* The one byte that may stand here, and where it leads. */
static inline void coppice_chunked_expect(struct coppice_chunked *decoder, uint8_t byte, char wanted,
                                          enum coppice_chunked_state next) {
    if (byte == (uint8_t)wanted)
        decoder->state = (uint8_t)next;
    else
        coppice_chunked_refuse(decoder, COPPICE_CHUNKED_BAD_LINE_END);
}

/* Reads a byte after the last chunk, up to the empty line. */
void coppice_chunked_read_trailers(struct coppice_chunked *decoder, uint8_t byte);

#endif
