#ifndef COPPICE_LOBBY_REQUEST_IDS_H
#define COPPICE_LOBBY_REQUEST_IDS_H

/* Random request IDs, in the form that Rails gives them: a UUID of version 4. They lie in memory that outlives its
 * process, so that no successor gives one again. Zeros are a good beginning. */

#include <stdbool.h>
#include <stdint.h>

enum { COPPICE_REQUEST_ID_BYTES = 36, COPPICE_REQUEST_IDS = 16 };

struct coppice_request_ids {
    uint32_t left;
    uint8_t random[COPPICE_REQUEST_IDS][16]; /* the kernel is asked once for so many */
};

/* Writes an ID and a NUL; false where the kernel has no random bytes: then there is none. */
bool coppice_request_id_make(struct coppice_request_ids *ids, char id[COPPICE_REQUEST_ID_BYTES + 1]);

#endif
