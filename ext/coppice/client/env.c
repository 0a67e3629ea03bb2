/*
 * Coppice::Http::Connection#env: from the head that was read to a Rack environment.
 * A copy of the prototype (all that is the same for each request) gets the rest.
 */
#include <ruby/encoding.h>
#include <string.h>
#include <strings.h>

#include "connection.h"
#include "connection_log.h"
#include "coppice_ext.h"
#include "env_keys.h"
#include "lobby_seat.h"
#include "shared/request_start.h"
#include "shared/socket_io.h"

/* The env that is being made, and what its header lines have said so far. */
struct env {
    const struct coppice_connection *connection;
    VALUE hash;
    uint64_t seen; /* the common headers so far, by their index: only repeated ones need a look into the hash */
    bool allow_underscore;
    unsigned dropped; /* headers with an underscore in their name */
    VALUE forwarded_proto;
    VALUE forwarded_ssl;
    VALUE request_start;
};

static rb_encoding *utf8;

static VALUE text(const char *bytes, size_t length) {
    VALUE string = rb_enc_str_new(bytes, (long)length, utf8);
    /* Rack: bytes beyond ASCII are BINARY. */
    if (rb_enc_str_coderange(string) != ENC_CODERANGE_7BIT) rb_enc_associate(string, rb_ascii8bit_encoding());
    return string;
}

static VALUE span_text(const struct coppice_connection *connection, struct coppice_span span) {
    return text(coppice_connection_bytes(connection, span), span.length);
}

static void set(const struct env *env, enum coppice_env_key key, VALUE value) {
    rb_hash_aset(env->hash, coppice_env_keys[key], value);
}

/* Nearly all requests need no new String for the method and the version. */
static void set_method(const struct env *env) {
    struct coppice_span method = env->connection->head->method;
    const char *bytes = coppice_connection_bytes(env->connection, method);
    if (method.length == 3 && memcmp(bytes, "GET", 3) == 0) return; /* the prototype says so */
    set(env, COPPICE_ENV_REQUEST_METHOD, rb_enc_interned_str(bytes, method.length, utf8));
}

static void set_version(const struct env *env) {
    if (env->connection->head->minor_version == 1) return;
    VALUE version = rb_interned_str_cstr("HTTP/1.0");
    set(env, COPPICE_ENV_SERVER_PROTOCOL, version);
    set(env, COPPICE_ENV_HTTP_VERSION, version);
}

/* CONNECT has an authority for its target, an absolute target may have no path. */
static VALUE path_text(const struct coppice_connection *connection) {
    const struct coppice_request_head *head = connection->head;
    if (head->path.length > 0) return span_text(connection, head->path);
    if (head->scheme.length > 0) return text("/", 1);
    return span_text(connection, head->target);
}

static void set_target(const struct env *env) {
    const struct coppice_request_head *head = env->connection->head;
    VALUE path = path_text(env->connection);
    set(env, COPPICE_ENV_REQUEST_URI, span_text(env->connection, head->target));
    set(env, COPPICE_ENV_PATH_INFO, path);
    set(env, COPPICE_ENV_REQUEST_PATH, path);
    if (head->query.length > 0) set(env, COPPICE_ENV_QUERY_STRING, span_text(env->connection, head->query));
}

/* "a, b"; cookies are joined by "; ". In place: a client may send many lines, and each copy would be of all before. */
static void join(VALUE first, VALUE second, const char *separator) {
    rb_str_append(rb_str_cat_cstr(first, separator), second);
}

static void add_common(struct env *env, unsigned index, VALUE value) {
    enum coppice_env_key key = (enum coppice_env_key)index;
    uint64_t bit = UINT64_C(1) << index;
    if (env->seen & bit) {
        join(rb_hash_aref(env->hash, coppice_env_keys[key]), value, key == COPPICE_ENV_HTTP_COOKIE ? "; " : ", ");
        return;
    }
    env->seen |= bit;
    set(env, key, value);
    if (key == COPPICE_ENV_HTTP_X_FORWARDED_PROTO) env->forwarded_proto = value;
    if (key == COPPICE_ENV_HTTP_X_FORWARDED_SSL) env->forwarded_ssl = value;
    if (key == COPPICE_ENV_HTTP_X_REQUEST_START) env->request_start = value;
}

/* "HTTP_" and the name in capitals, or Qnil for a name that must not be in env. */
static VALUE uncommon_key(struct env *env, const char *name, size_t length) {
    char buffer[256] = "HTTP_";
    char *key = length + 5 <= sizeof(buffer) ? buffer : ruby_xmalloc(length + 5);
    bool good = true;
    memcpy(key, "HTTP_", 5);
    for (size_t i = 0; i < length; i++) {
        char byte = name[i];
        if (byte == '_' && !env->allow_underscore) good = false; /* or X_Y could pass for X-Y */
        key[i + 5] = byte == '-' ? '_' : (byte >= 'a' && byte <= 'z' ? (char)(byte - 'a' + 'A') : byte);
    }
    if (!good) env->dropped++;
    bool allowed = good && !coppice_env_key_forbidden(key, length + 5);
    VALUE string = allowed ? rb_enc_interned_str(key, (long)length + 5, utf8) : Qnil;
    if (key != buffer) ruby_xfree(key);
    return string;
}

static void add_uncommon(struct env *env, const char *name, size_t length, VALUE value) {
    VALUE key = uncommon_key(env, name, length);
    if (NIL_P(key)) return;
    VALUE first = rb_hash_lookup2(env->hash, key, Qundef);
    if (first == Qundef)
        rb_hash_aset(env->hash, key, value);
    else
        join(first, value, ", ");
}

static void add_fields(struct env *env) {
    const struct coppice_connection *connection = env->connection;
    const struct coppice_request_head *head = connection->head;
    for (uint32_t i = 0; i < head->field_count; i++) {
        const struct coppice_field *field = &head->fields[i];
        const char *name = coppice_connection_bytes(connection, field->name);
        VALUE value = span_text(connection, field->value);
        int index = coppice_env_key_of_header(name, field->name.length);
        if (index >= 0) {
            add_common(env, (unsigned)index, value);
        } else {
            add_uncommon(env, name, field->name.length, value);
        }
    }
}

static bool is_word(const char *bytes, size_t length, const char *word) {
    return length == strlen(word) && strncasecmp(bytes, word, length) == 0;
}

static bool first_item_is(VALUE list, const char *word) {
    return is_word(RSTRING_PTR(list), strcspn(RSTRING_PTR(list), ", "), word);
}

/* Of "https, http" Rack::Request, which makes the application's URLs, takes the first with Rack 2, and with Rack 3 the
 * last that is a scheme: the nearest proxy has said it. */
static bool scheme_is(const struct env *env, VALUE list, const char *scheme) {
    bool is = false;
    if (env->connection->rack2) return first_item_is(list, scheme);
    for (const char *item = RSTRING_PTR(list); *item;) {
        size_t length = strcspn(item, ", \t");
        if (is_word(item, length, "http") || is_word(item, length, "https")) is = is_word(item, length, scheme);
        item += length + strspn(item + length, ", \t");
    }
    return is;
}

static bool from_trusted_proxy(const struct env *env, VALUE trusted_proxies, VALUE address) {
    bool local = env->connection->peer.family == AF_UNIX && !env->connection->adopted_address[0];
    VALUE from = local ? Qnil : address;
    return RTEST(rb_funcall(trusted_proxies, rb_intern("include?"), 1, from));
}

/* As the connection says, unless a trusted proxy says the opposite. What is neither, such as "wss", says nothing. As
 * for Rack::Request, X-Forwarded-Ssl: on counts more than X-Forwarded-Proto. */
static bool is_https(const struct env *env, VALUE trusted_proxies, VALUE address) {
    bool https = env->connection->https;
    VALUE proto = env->forwarded_proto, ssl = env->forwarded_ssl;
    bool on = !NIL_P(ssl) && first_item_is(ssl, "on"), off = !NIL_P(ssl) && first_item_is(ssl, "off");
    bool other = NIL_P(proto) ? https && off : scheme_is(env, proto, https ? "http" : "https");
    bool opposite = https ? other && !on : other || on;
    return opposite && from_trusted_proxy(env, trusted_proxies, address) ? !https : https;
}

/* How long the request has waited, in microseconds; -1 for not known. In the lobby it waits from when it is complete;
 * before that its client was slow, also where a proxy sends a body on as it comes. A proxy may have had it earlier. */
static int64_t queue_time(const struct env *env, VALUE trusted_proxies, VALUE address) {
    int64_t queued_us = env->connection->queued_us;
    VALUE start = env->request_start;
    int64_t us = -1;
    if (queued_us > 0 && env->connection->seat) {
        env->connection->seat->started_us = coppice_monotonic_us();
        us = env->connection->seat->started_us - queued_us;
    }
    if (!NIL_P(start) && from_trusted_proxy(env, trusted_proxies, address)) {
        size_t length = (size_t)RSTRING_LEN(start);
        int64_t age_us = coppice_request_start_age_us(RSTRING_PTR(start), length, coppice_unix_us());
        if (age_us - env->connection->reading_us > us) us = age_us - env->connection->reading_us;
    }
    return us;
}

static void note_queue_time(struct coppice_connection *connection, int64_t us) {
    connection->waited_us = us;
    coppice_traffic_queued(&connection->traffic, us);
}

/* The client sent none. */
static void set_request_id(const struct env *env) {
    const char *id = env->connection->request_id;
    if (id[0]) set(env, COPPICE_ENV_HTTP_X_REQUEST_ID, text(id, strlen(id)));
}

/* "host", "host:80", "[::1]", "[::1]:80" */
static void set_server_of_host(const struct env *env, struct coppice_span host) {
    const char *bytes = coppice_connection_bytes(env->connection, host);
    const char *end = bytes + host.length;
    const char *colon = end;
    for (const char *byte = end; byte > bytes && byte[-1] != ']'; byte--) {
        if (byte[-1] == ':') colon = byte - 1;
    }
    set(env, COPPICE_ENV_SERVER_NAME, text(bytes, (size_t)(colon - bytes)));
    if (colon + 1 < end) set(env, COPPICE_ENV_SERVER_PORT, text(colon + 1, (size_t)(end - colon - 1)));
}

/* The client sent no Host: the address that it connected to. */
static void set_server_of_socket(const struct env *env, VALUE self) {
    VALUE local = rb_funcall(self, rb_intern("local_address"), 0);
    if (NIL_P(local)) return; /* "localhost", as in the prototype */
    set(env, COPPICE_ENV_SERVER_NAME, RARRAY_AREF(local, 0));
    set(env, COPPICE_ENV_SERVER_PORT, rb_obj_as_string(RARRAY_AREF(local, 1)));
}

static void set_server(const struct env *env, VALUE self, bool https) {
    const struct coppice_request_head *head = env->connection->head;
    struct coppice_span host = head->authority.length > 0 ? head->authority : head->host;
    if (https) set(env, COPPICE_ENV_SERVER_PORT, rb_interned_str_cstr("443")); /* else 80, as in the prototype */
    if (host.length > 0) {
        if (head->authority.length > 0) set(env, COPPICE_ENV_HTTP_HOST, span_text(env->connection, host));
        set_server_of_host(env, host);
    } else {
        set_server_of_socket(env, self);
    }
}

/* rack.protocol: the protocols that the client offers to upgrade to. */
static void set_protocol(const struct env *env) {
    if (!env->connection->head->upgrade) return;
    VALUE upgrade = rb_hash_lookup2(env->hash, coppice_env_keys[COPPICE_ENV_HTTP_UPGRADE], Qnil);
    if (NIL_P(upgrade)) return;
    VALUE members = rb_str_split(upgrade, ",");
    VALUE names = rb_ary_new();
    for (long i = 0; i < RARRAY_LEN(members); i++) {
        VALUE name = rb_funcall(RARRAY_AREF(members, i), rb_intern("strip"), 0);
        if (RSTRING_LEN(name) > 0) rb_ary_push(names, name); /* RFC 9110 5.6.1.2 */
    }
    set(env, COPPICE_ENV_RACK_PROTOCOL, names);
}

/*
 * env(prototype, trusted_proxies, allow_underscore) -> a new Hash. trusted_proxies answers include?(address), where
 * nil stands for a UNIX socket.
 */
static VALUE connection_env(VALUE self, VALUE prototype, VALUE trusted_proxies, VALUE allow_underscore) {
    struct coppice_connection *connection = coppice_connection_open(self);
    struct env env = {
        .connection = connection,
        .hash = rb_hash_dup(prototype),
        .allow_underscore = RTEST(allow_underscore),
        .forwarded_proto = Qnil,
        .forwarded_ssl = Qnil,
        .request_start = Qnil,
    };
    VALUE address = rb_funcall(self, rb_intern("remote_address"), 0);
    set_method(&env);
    set_version(&env);
    set_target(&env);
    set(&env, COPPICE_ENV_REMOTE_ADDR, address);
    add_fields(&env);
    coppice_connection_identify(connection);
    set_request_id(&env);
    bool https = is_https(&env, trusted_proxies, address);
    if (https) set(&env, COPPICE_ENV_RACK_URL_SCHEME, rb_interned_str_cstr("https"));
    if (!NIL_P(connection->traffic.cells)) note_queue_time(connection, queue_time(&env, trusted_proxies, address));
    set_server(&env, self, https);
    set_protocol(&env);
    connection->dropped_headers = env.dropped;
    if (env.dropped > 0) rb_hash_aset(env.hash, rb_interned_str_cstr("coppice.dropped_headers"), UINT2NUM(env.dropped));
    return env.hash;
}

/* dropped_headers -> how many headers env left out for an underscore in their names. */
static VALUE connection_dropped_headers(VALUE self) {
    return UINT2NUM(coppice_connection_get(self)->dropped_headers);
}

void Init_coppice_env(VALUE coppice) {
    VALUE klass = coppice_connection_class(coppice);
    utf8 = rb_utf8_encoding();
    coppice_env_keys_define();
    rb_define_method(klass, "env", connection_env, 3);
    rb_define_method(klass, "dropped_headers", connection_dropped_headers, 0);
}
