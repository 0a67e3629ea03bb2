/* What has been seen: answers, how long each took, errors, bodies. */
#ifndef LOAD_TALLY_H
#define LOAD_TALLY_H

#include <stdint.h>

#include "options.h"

enum error { ERROR_CONNECT, ERROR_RESET, ERROR_STATUS, ERROR_LENGTH, ERROR_TIMEOUT, ERROR_KINDS };

/* Once, before all else. */
void tally_prepare(const struct options *options);

void tally_error(enum error kind);

/* An answer that is whole and right, after so long; `text` is how its body begins; kept: its connection lives on. */
void tally_answer(uint64_t nanoseconds, const char *text, bool kept);

/* Prints all of it as one line of JSON. */
void tally_report(double seconds);

#endif
