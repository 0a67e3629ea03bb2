#ifndef COPPICE_LINGERING_H
#define COPPICE_LINGERING_H

#include <ruby.h>

/* Shuts the writing side of a client's descriptor and has `lingering`, a Coppice::Http::Lingering, close it later;
 * closes it at once when that is nil or closed. Does not wait. */
void coppice_lingering_add(VALUE lingering, int fd);

#endif
