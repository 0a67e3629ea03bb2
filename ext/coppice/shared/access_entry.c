/* What the access log tells of a request, and the ID that the request is known by. */
#include <string.h>

#include "access_log.h"
#include "forwarded_for.h"

static struct coppice_access_text text_at(const char *bytes, struct coppice_span span) {
    return (struct coppice_access_text){.bytes = bytes + span.offset, .length = span.length};
}

static struct coppice_span sent_id(const struct coppice_request_head *head, const char *bytes) {
    return coppice_request_field(head, bytes, "x-request-id");
}

void coppice_access_identify(struct coppice_request_ids *ids, const struct coppice_request_head *head,
                             const char *bytes, char *id) {
    if (sent_id(head, bytes).length > 0 || !coppice_request_id_make(ids, id)) id[0] = '\0';
}

void coppice_access_describe(struct coppice_access_entry *entry, const struct coppice_request_head *head,
                             const char *bytes, const struct coppice_trusted_networks *trusted, const char *id) {
    entry->client = coppice_forwarded_for(head, bytes, trusted, &entry->client);
    entry->method = text_at(bytes, head->method);
    entry->path = text_at(bytes, head->path);
    entry->request_id = (struct coppice_access_text){.bytes = id, .length = strlen(id)};
    if (!id[0]) entry->request_id = text_at(bytes, sent_id(head, bytes));
}
