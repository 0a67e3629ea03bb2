#include "request_ids.h"

#include <sys/random.h>
#include <unistd.h>

bool coppice_request_id_make(struct coppice_request_ids *ids, char id[COPPICE_REQUEST_ID_BYTES + 1]) {
    static const char digits[] = "0123456789abcdef";
    if (ids->left == 0 || ids->left > COPPICE_REQUEST_IDS) {
        ids->left = 0;
        if (getentropy(ids->random, sizeof(ids->random)) != 0) return false; /* takes at most 256 bytes */
        ids->left = COPPICE_REQUEST_IDS;
    }
    uint8_t *bytes = ids->random[--ids->left];
    bytes[6] = (uint8_t)((bytes[6] & 0x0f) | 0x40); /* the version */
    bytes[8] = (uint8_t)((bytes[8] & 0x3f) | 0x80); /* the variant */
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *id++ = '-';
        *id++ = digits[bytes[i] >> 4];
        *id++ = digits[bytes[i] & 15];
    }
    *id = '\0';
    return true;
}
