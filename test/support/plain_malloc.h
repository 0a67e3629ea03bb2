#ifndef COPPICE_TEST_PLAIN_MALLOC_H
#define COPPICE_TEST_PLAIN_MALLOC_H

/*
 * Comes first in every file of the extension when it is built with sanitizers: its memory is
 * asked for by itself, not by Ruby on its behalf, so that a report of a leak names who asked.
 */

#include <ruby.h>
#include <stdlib.h>

#define ruby_xmalloc malloc
#define ruby_xcalloc calloc
#define ruby_xrealloc realloc
#define ruby_xfree free

/* Parts without Ruby are linked into a program without Ruby. */
#undef snprintf
#undef vsnprintf

#endif
