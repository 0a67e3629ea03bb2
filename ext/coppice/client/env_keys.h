#ifndef COPPICE_ENV_KEYS_H
#define COPPICE_ENV_KEYS_H

/* The keys of a Rack environment that the server knows by name. They are made once, so that no request makes them. */

#include <ruby.h>
#include <stdbool.h>

/* One list of each: first the headers, by the name they are sent with (at most 64, one bit each), then the rest. */
#define COPPICE_COMMON_HEADERS(X) \
    X(CONTENT_LENGTH, "content-length") \
    X(CONTENT_TYPE, "content-type") \
    X(HTTP_ACCEPT, "accept") \
    X(HTTP_ACCEPT_CHARSET, "accept-charset") \
    X(HTTP_ACCEPT_ENCODING, "accept-encoding") \
    X(HTTP_ACCEPT_LANGUAGE, "accept-language") \
    X(HTTP_ACCESS_CONTROL_REQUEST_HEADERS, "access-control-request-headers") \
    X(HTTP_ACCESS_CONTROL_REQUEST_METHOD, "access-control-request-method") \
    X(HTTP_AUTHORIZATION, "authorization") \
    X(HTTP_CACHE_CONTROL, "cache-control") \
    X(HTTP_CONNECTION, "connection") \
    X(HTTP_COOKIE, "cookie") \
    X(HTTP_DNT, "dnt") \
    X(HTTP_EXPECT, "expect") \
    X(HTTP_FORWARDED, "forwarded") \
    X(HTTP_HOST, "host") \
    X(HTTP_IF_MATCH, "if-match") \
    X(HTTP_IF_MODIFIED_SINCE, "if-modified-since") \
    X(HTTP_IF_NONE_MATCH, "if-none-match") \
    X(HTTP_IF_RANGE, "if-range") \
    X(HTTP_IF_UNMODIFIED_SINCE, "if-unmodified-since") \
    X(HTTP_KEEP_ALIVE, "keep-alive") \
    X(HTTP_ORIGIN, "origin") \
    X(HTTP_PRAGMA, "pragma") \
    X(HTTP_PRIORITY, "priority") \
    X(HTTP_RANGE, "range") \
    X(HTTP_REFERER, "referer") \
    X(HTTP_SEC_CH_UA, "sec-ch-ua") \
    X(HTTP_SEC_CH_UA_MOBILE, "sec-ch-ua-mobile") \
    X(HTTP_SEC_CH_UA_PLATFORM, "sec-ch-ua-platform") \
    X(HTTP_SEC_FETCH_DEST, "sec-fetch-dest") \
    X(HTTP_SEC_FETCH_MODE, "sec-fetch-mode") \
    X(HTTP_SEC_FETCH_SITE, "sec-fetch-site") \
    X(HTTP_SEC_FETCH_USER, "sec-fetch-user") \
    X(HTTP_TE, "te") \
    X(HTTP_TRACEPARENT, "traceparent") \
    X(HTTP_TRANSFER_ENCODING, "transfer-encoding") \
    X(HTTP_UPGRADE, "upgrade") \
    X(HTTP_UPGRADE_INSECURE_REQUESTS, "upgrade-insecure-requests") \
    X(HTTP_USER_AGENT, "user-agent") \
    X(HTTP_VIA, "via") \
    X(HTTP_X_CSRF_TOKEN, "x-csrf-token") \
    X(HTTP_X_FORWARDED_FOR, "x-forwarded-for") \
    X(HTTP_X_FORWARDED_HOST, "x-forwarded-host") \
    X(HTTP_X_FORWARDED_PORT, "x-forwarded-port") \
    X(HTTP_X_FORWARDED_PROTO, "x-forwarded-proto") \
    X(HTTP_X_FORWARDED_SSL, "x-forwarded-ssl") \
    X(HTTP_X_REAL_IP, "x-real-ip") \
    X(HTTP_X_REQUEST_ID, "x-request-id") \
    X(HTTP_X_REQUEST_START, "x-request-start") \
    X(HTTP_X_REQUESTED_WITH, "x-requested-with")

#define COPPICE_REQUEST_KEYS(X) \
    X(REQUEST_METHOD, "REQUEST_METHOD") \
    X(REQUEST_URI, "REQUEST_URI") \
    X(REQUEST_PATH, "REQUEST_PATH") \
    X(PATH_INFO, "PATH_INFO") \
    X(QUERY_STRING, "QUERY_STRING") \
    X(SERVER_PROTOCOL, "SERVER_PROTOCOL") \
    X(HTTP_VERSION, "HTTP_VERSION") \
    X(SERVER_NAME, "SERVER_NAME") \
    X(SERVER_PORT, "SERVER_PORT") \
    X(REMOTE_ADDR, "REMOTE_ADDR") \
    X(RACK_URL_SCHEME, "rack.url_scheme") \
    X(RACK_PROTOCOL, "rack.protocol")

#define COPPICE_ENV_ENUM(key, text) COPPICE_ENV_##key,
enum coppice_env_key {
    COPPICE_COMMON_HEADERS(COPPICE_ENV_ENUM)
    COPPICE_REQUEST_KEYS(COPPICE_ENV_ENUM)
    COPPICE_ENV_KEY_COUNT
};
#undef COPPICE_ENV_ENUM

extern VALUE coppice_env_keys[COPPICE_ENV_KEY_COUNT];

/* The enum coppice_env_key of a common header, in any case of letters; -1 for any other. */
int coppice_env_key_of_header(const char *name, size_t length);

/* Keys that a header must not set: HTTP_PROXY ("httpoxy") and HTTP_VERSION, which is the server's. */
bool coppice_env_key_forbidden(const char *key, size_t length);

void coppice_env_keys_define(void);

#endif
