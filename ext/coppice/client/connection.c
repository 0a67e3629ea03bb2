/*
 * Coppice::Http::Connection: one client at a time, on its raw descriptor or at the lobby. A worker keeps one object for all its
 * clients, so that buffers are allocated once. The object owns the descriptor from accept.c to close.c.
 */
#include "connection.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "coppice_ext.h"

static unsigned fork_count; /* of forks that led to this process */
static unsigned copy_count; /* of forks that this process has made */

/* Memory that Ruby's garbage collector counts. */
static void *reallocate(void *memory, size_t size) {
    if (size > 0) return ruby_xrealloc(memory, size);
    ruby_xfree(memory);
    return NULL;
}

static void connection_free(void *pointer) {
    struct coppice_connection *connection = pointer;
    if (connection->fd >= 0) close(connection->fd);
    coppice_byte_buffer_free(&connection->input);
    coppice_byte_buffer_free(&connection->output);
    ruby_xfree(connection->head);
    ruby_xfree(connection);
}

static size_t connection_size(const void *pointer) {
    const struct coppice_connection *connection = pointer;
    return sizeof(*connection) + connection->input.capacity + connection->output.capacity +
           coppice_request_head_size(connection->limits.field_count);
}

static void connection_mark(void *pointer) {
    const struct coppice_connection *connection = pointer;
    rb_gc_mark(connection->deadline);
    rb_gc_mark(connection->lingering);
    rb_gc_mark(connection->access_log);
    rb_gc_mark(connection->traffic.cells);
    rb_gc_mark(connection->seat_object);
}

static const rb_data_type_t connection_type = {
    .wrap_struct_name = "Coppice::Http::Connection",
    .function = {.dmark = connection_mark, .dfree = connection_free, .dsize = connection_size},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

struct coppice_connection *coppice_connection_get(VALUE self) {
    struct coppice_connection *connection;
    TypedData_Get_Struct(self, struct coppice_connection, &connection_type, connection);
    return connection;
}

struct coppice_connection *coppice_connection_open(VALUE self) {
    struct coppice_connection *connection = coppice_connection_get(self);
    if (!coppice_connection_has_client(connection)) rb_raise(rb_eIOError, "there is no client on this connection");
    return connection;
}

static VALUE connection_allocate(VALUE klass) {
    struct coppice_connection *connection;
    VALUE self = TypedData_Make_Struct(klass, struct coppice_connection, &connection_type, connection);
    connection->transport = &coppice_descriptor_transport;
    connection->fd = -1;
    connection->deadline = connection->lingering = connection->access_log = Qnil;
    connection->traffic.cells = connection->seat_object = Qnil;
    connection->head = ruby_xcalloc(1, coppice_request_head_size(0));
    coppice_byte_buffer_init(&connection->input, reallocate);
    coppice_byte_buffer_init(&connection->output, reallocate);
    return self;
}

static VALUE setting(VALUE settings, const char *name) { return rb_funcall(settings, rb_intern(name), 0); }

static int64_t milliseconds(VALUE seconds) { return (int64_t)(NUM2DBL(seconds) * 1000); }

static void take_limits(struct coppice_connection *connection, VALUE settings) {
    struct coppice_connection_limits *limits = &connection->limits;
    VALUE body_bytes = setting(settings, "max_body_bytes"), rate = setting(settings, "client_min_rate");
    limits->head.request_line_bytes = NUM2UINT(setting(settings, "max_request_line_bytes"));
    limits->head.header_bytes = NUM2UINT(setting(settings, "max_header_bytes"));
    limits->max_body_bytes = NIL_P(body_bytes) ? UINT64_MAX : NUM2ULL(body_bytes);
    limits->client_header_timeout_ms = milliseconds(setting(settings, "client_header_timeout"));
    limits->client_body_timeout_ms = milliseconds(setting(settings, "client_body_timeout"));
    limits->client_write_timeout_ms = milliseconds(setting(settings, "client_write_timeout"));
    limits->client_min_rate = NIL_P(rate) ? 0 : NUM2LL(rate);
    uint32_t field_count = NUM2UINT(setting(settings, "max_header_count"));
    connection->head = ruby_xrealloc(connection->head, coppice_request_head_size(field_count));
    limits->field_count = field_count;
}

/*
 * Connection.new(settings, deadline:, lingering:, rack2:)
 *
 *   settings   a Coppice::Config::Settings, of which it takes the limits for a client
 *   deadline   is told by `postpone(ms)` of time that went to waiting for the client; negative ms take back
 *   lingering  a Lingering, which gets the clients that may still be sending; nil to close them at once
 *   rack2      whether the application's Rack is 2
 */
static VALUE connection_initialize(int argc, VALUE *argv, VALUE self) {
    struct coppice_connection *connection = coppice_connection_get(self);
    const ID names[] = {rb_intern("deadline"), rb_intern("lingering"), rb_intern("rack2")};
    VALUE settings, keywords, values[3];
    rb_scan_args(argc, argv, "1:", &settings, &keywords);
    rb_get_kwargs(keywords, names, 3, 0, values);
    take_limits(connection, settings);
    connection->deadline = values[0];
    connection->lingering = values[1];
    connection->rack2 = RTEST(values[2]);
    return self;
}

/* count_on(row): what is sent and received from now on is counted on this row of the board. */
static VALUE connection_count_on(VALUE self, VALUE row) {
    coppice_traffic_begin(&coppice_connection_get(self)->traffic, row);
    return self;
}

void coppice_connection_begin(struct coppice_connection *connection, int fd) {
    connection->transport = &coppice_descriptor_transport;
    connection->fd = fd;
    connection->serial++;
    connection->family = connection->peer.family;
    connection->adopted_address[0] = connection->request_id[0] = '\0';
    connection->queued_us = connection->reading_us = connection->started_us = 0;
    connection->waited_us = -1;
    connection->traffic.sent = 0;
    connection->traffic.status = 0;
    connection->https = connection->detached = false;
    connection->fork_count = fork_count;
    connection->copy_count = copy_count;
    connection->client_gone = false;
}

void coppice_connection_end(struct coppice_connection *connection) {
    connection->transport = &coppice_descriptor_transport;
    connection->fd = -1;
    connection->seat = NULL;
    connection->serial++;
}

unsigned coppice_fork_count(void) {
    return fork_count;
}

bool coppice_connection_foreign(const struct coppice_connection *connection) {
    return connection->fork_count != fork_count;
}

void coppice_connection_check_own(const struct coppice_connection *connection) {
    if (!coppice_connection_foreign(connection)) return;
    rb_raise(rb_eIOError, "this client is served by the process that forked this one");
}

bool coppice_connection_copied(const struct coppice_connection *connection) {
    return connection->copy_count != copy_count;
}

/* Connection.copies -> how many processes this one has forked. A client that is adopted later than it was accepted
 * comes with the number of before: see adopt. */
static VALUE connection_copies(VALUE klass) {
    (void)klass;
    return UINT2NUM(copy_count);
}

static VALUE connection_detached_p(VALUE self) {
    return coppice_connection_get(self)->detached ? Qtrue : Qfalse;
}

static VALUE connection_open_p(VALUE self) {
    return coppice_connection_has_client(coppice_connection_get(self)) ? Qtrue : Qfalse;
}

const char *coppice_connection_bytes(const struct coppice_connection *connection, struct coppice_span span) {
    return connection->input.data + span.offset;
}

bool coppice_connection_method_is(const struct coppice_connection *connection, const char *name) {
    struct coppice_span method = connection->head->method;
    return connection->head_complete && method.length == strlen(name) &&
           memcmp(coppice_connection_bytes(connection, method), name, method.length) == 0;
}

void coppice_raise_client_gone(struct coppice_connection *connection, const char *during) {
    connection->client_gone = true;
    rb_raise(rb_path2class("Coppice::ClientGone"), "the client is gone: %s", during);
}

void coppice_raise_refused(struct coppice_connection *connection, int status, const char *reason) {
    connection->body = COPPICE_BODY_REFUSED;
    connection->refusal = reason;
    VALUE arguments[] = {INT2NUM(status), rb_utf8_str_new_cstr(reason)};
    rb_exc_raise(rb_class_new_instance(2, arguments, rb_path2class("Coppice::RequestRefused")));
}

VALUE coppice_connection_class(VALUE coppice) {
    return rb_define_class_under(rb_define_module_under(coppice, "Http"), "Connection", rb_cObject);
}

static void count_fork(void) {
    fork_count++;
}

static void count_copy(void) {
    copy_count++;
}

void Init_coppice_connection(VALUE coppice) {
    VALUE klass = coppice_connection_class(coppice);
    rb_require("coppice/errors");
    pthread_atfork(NULL, count_copy, count_fork);
    rb_define_alloc_func(klass, connection_allocate);
    rb_define_singleton_method(klass, "copies", connection_copies, 0);
    rb_define_method(klass, "initialize", connection_initialize, -1);
    rb_define_method(klass, "count_on", connection_count_on, 1);
    rb_define_method(klass, "detached?", connection_detached_p, 0);
    rb_define_method(klass, "open?", connection_open_p, 0);
}
