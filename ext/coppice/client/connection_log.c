/* Coppice::Http::AccessLines: writes a line of the access log for each client of a Connection. */
#include "connection_log.h"

#include <stdatomic.h>
#include <string.h>

#include "shared/access_log.h"
#include "board/cells.h"
#include "coppice_ext.h"
#include "shared/socket_io.h"

struct access_lines {
    VALUE cells; /* nil: nowhere to count */
    size_t dropped_at;
    int worker;
    uint32_t generation;
    struct coppice_request_ids ids;
    struct coppice_trusted_networks trusted;
    struct coppice_access_log log;
};

static void lines_mark(void *pointer) {
    rb_gc_mark(((const struct access_lines *)pointer)->cells);
}

static size_t lines_size(const void *pointer) {
    return sizeof(struct access_lines);
}

static const rb_data_type_t lines_type = {
    .wrap_struct_name = "Coppice::Http::AccessLines",
    .function = {.dmark = lines_mark, .dfree = RUBY_DEFAULT_FREE, .dsize = lines_size},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static struct access_lines *lines_get(VALUE self) {
    struct access_lines *lines;
    TypedData_Get_Struct(self, struct access_lines, &lines_type, lines);
    return lines;
}

static VALUE lines_allocate(VALUE klass) {
    struct access_lines *lines;
    VALUE self = TypedData_Make_Struct(klass, struct access_lines, &lines_type, lines);
    lines->cells = Qnil;
    coppice_access_log_init(&lines->log, -1, COPPICE_ACCESS_TEXT);
    return self;
}

static void add_networks(struct access_lines *lines, VALUE networks) {
    Check_Type(networks, T_ARRAY);
    for (long i = 0; i < RARRAY_LEN(networks); i++) {
        VALUE network = RARRAY_AREF(networks, i);
        if (coppice_trusted_networks_add(&lines->trusted, StringValueCStr(network))) continue;
        rb_raise(rb_eArgError, "not a network, or one too many: %" PRIsVALUE, network);
    }
}

/* AccessLines.new(fd, json, worker, generation, record, networks): the descriptor stays the caller's. record: counts the
 * lines that could not be written, in its column log_lines_dropped; or nil. networks: texts, of the proxies that may
 * name their clients. */
static VALUE lines_initialize(VALUE self, VALUE fd, VALUE json, VALUE worker, VALUE generation, VALUE record,
                              VALUE networks) {
    struct access_lines *lines = lines_get(self);
    add_networks(lines, networks);
    if (!NIL_P(record)) {
        lines->dropped_at = coppice_cells_column(record, "log_lines_dropped", 1).index;
        lines->cells = rb_funcall(record, rb_intern("cells"), 0);
    }
    lines->worker = NUM2INT(worker);
    lines->generation = NUM2UINT(generation);
    coppice_access_log_init(&lines->log, NUM2INT(fd), RTEST(json) ? COPPICE_ACCESS_JSON : COPPICE_ACCESS_TEXT);
    return self;
}

/* access_log = an AccessLines, or nil for none. */
static VALUE connection_set_access_log(VALUE self, VALUE access_log) {
    if (!NIL_P(access_log)) lines_get(access_log); /* raises TypeError */
    coppice_connection_get(self)->access_log = access_log;
    return access_log;
}

static bool logged_here(const struct coppice_connection *connection) {
    return !NIL_P(connection->access_log) && connection->queued_us == 0 && !coppice_connection_foreign(connection);
}

void coppice_connection_identify(struct coppice_connection *connection) {
    if (!logged_here(connection)) return;
    connection->started_us = coppice_monotonic_us();
    coppice_access_identify(&lines_get(connection->access_log)->ids, connection->head, connection->input.data,
                            connection->request_id);
}

static struct coppice_lobby_address peer_of(const struct coppice_connection *connection) {
    struct coppice_lobby_address address = {.family = 0}; /* AF_UNIX would be trusted */
    const char *adopted = connection->adopted_address;
    if (!adopted[0]) return connection->peer;
    coppice_lobby_address_read(&address, adopted, strlen(adopted));
    return address;
}

static void add_request(const struct coppice_connection *connection, struct coppice_access_entry *entry) {
    coppice_access_describe(entry, connection->head, connection->input.data,
                            &lines_get(connection->access_log)->trusted, connection->request_id);
    if (connection->started_us == 0) return;
    entry->queue_us = connection->waited_us;
    entry->application_us = coppice_monotonic_us() - connection->started_us;
}

static void count_dropped(struct access_lines *lines) {
    int64_t dropped = (int64_t)lines->log.dropped;
    if (dropped == 0 || NIL_P(lines->cells)) return;
    atomic_fetch_add_explicit(coppice_cells_at(lines->cells, lines->dropped_at, 1), dropped, memory_order_relaxed);
    lines->log.dropped = 0;
}

void coppice_connection_log(struct coppice_connection *connection) {
    bool came = connection->head_complete || connection->traffic.status > 0;
    if (!coppice_connection_has_client(connection) || !came || !logged_here(connection)) return;
    struct access_lines *lines = lines_get(connection->access_log);
    struct coppice_access_entry entry = {
        .time_ms = coppice_unix_us() / 1000,
        .client = peer_of(connection),
        .status = connection->traffic.status,
        .bytes = connection->traffic.sent,
        .queue_us = -1,
        .application_us = -1,
        .worker = connection->started_us > 0 ? lines->worker : -1,
        .generation = lines->generation,
        .cause = connection->client_gone ? "client gone" : connection->refusal,
    };
    if (connection->head_complete) add_request(connection, &entry);
    coppice_access_log_add(&lines->log, &entry);
    coppice_access_log_flush(&lines->log);
    count_dropped(lines);
}

void Init_coppice_connection_log(VALUE coppice) {
    VALUE klass = coppice_connection_class(coppice);
    VALUE lines = rb_define_class_under(rb_path2class("Coppice::Http"), "AccessLines", rb_cObject);
    rb_define_alloc_func(lines, lines_allocate);
    rb_define_method(lines, "initialize", lines_initialize, 6);
    rb_define_method(klass, "access_log=", connection_set_access_log, 1);
}
