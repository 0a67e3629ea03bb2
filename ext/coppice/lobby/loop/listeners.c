/* New clients: bounded batches of them, so that those who are here already get their turn. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop.h"

enum { BATCH = 64, PAUSE_MS = 250 };

/* 0, or why not all listeners are watched. */
static int watch_listeners(const struct coppice_lobby *lobby) {
    int error = 0;
    for (uint32_t i = 0; i < lobby->settings.listeners; i++) {
        int fd = lobby->listener_fds[i];
        if (fd >= 0 && !lobby_watch(lobby, fd, LOBBY_LISTENER, i, EPOLLIN)) error = errno;
    }
    return error;
}

static void retry_later(struct coppice_lobby *lobby) {
    lobby_process.paused_until_ms = lobby_process.now_ms + PAUSE_MS;
    lobby_count_to(lobby->counters, LOBBY_paused, 1);
}

/* A line for each new reason, and not for each try. */
static void log_error(const struct coppice_lobby *lobby, const char *what, int error) {
    if (error != lobby_process.listen_error) lobby_log(lobby, LOBBY_ERROR, "%s: %s", what, strerror(error));
    lobby_process.listen_error = error;
}

void lobby_listen(struct coppice_lobby *lobby) {
    if (!lobby->accepting || lobby_process.listening) return;
    int error = watch_listeners(lobby);
    if (error) {
        log_error(lobby, "a listener cannot be watched", error);
        retry_later(lobby);
        return;
    }
    lobby_process.listening = true;
    lobby_count_to(lobby->counters, LOBBY_paused, 0);
}

static void stop_listening(const struct coppice_lobby *lobby) {
    for (uint32_t i = 0; i < lobby->settings.listeners; i++) {
        if (lobby->listener_fds[i] >= 0) epoll_ctl(lobby->epoll_fd, EPOLL_CTL_DEL, lobby->listener_fds[i], NULL);
    }
    lobby_process.listening = false;
}

static void pause_accepting(struct coppice_lobby *lobby, int error) {
    stop_listening(lobby);
    log_error(lobby, "the lobby cannot accept connections", error);
    retry_later(lobby);
}

static bool is_lack(int error) {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/* accept4(2) looks for a number first, and only then for a client. */
static bool anybody_waits(int listener_fd) {
    struct pollfd listener = {.fd = listener_fd, .events = POLLIN};
    return poll(&listener, 1, 0) > 0 && (listener.revents & POLLIN);
}

/* No descriptor is left. The reserve is one: a client that is told so at once can go elsewhere. Answers whether there
 * may be more. */
static bool turn_away(struct coppice_lobby *lobby, int listener_fd) {
    if (!anybody_waits(listener_fd)) return false;
    if (lobby_evict(lobby)) return true;
    if (lobby->reserve_fd >= 0) close(lobby_forget_descriptor(&lobby->reserve_fd));
    int fd = accept4(listener_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    int error = fd < 0 ? errno : 0;
    if (fd >= 0) lobby_turn_away(lobby, fd);
    lobby_reserve_open(lobby);
    if (is_lack(error)) pause_accepting(lobby, error);
    return fd >= 0;
}

/* Small answers must not wait for the acknowledgement of earlier ones. Clients inherit that from the server's own
 * sockets (lib/coppice/listeners/tcp_binder.rb), but those of systemd had clients before the server came. */
static void set_options(const struct coppice_lobby *lobby, const struct lobby_connection *connection) {
    bool tcp = connection->client.family != 0 && connection->client.family != AF_UNIX;
    if (!tcp || !lobby->settings.borrowed[connection->listener]) return;
    int on = 1;
    setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static void begin(struct coppice_lobby *lobby, uint32_t listener, int fd, const struct sockaddr_storage *peer) {
    if (lobby->open_connections == lobby->settings.max_connections) lobby_evict(lobby);
    uint32_t index = lobby_record_take(lobby);
    if (index == LOBBY_NONE) {
        lobby_turn_away(lobby, fd);
        return;
    }
    lobby_take_in_hand(lobby, index);
    struct lobby_connection *connection = lobby_open(lobby, index, fd);
    connection->listener = (uint8_t)listener;
    coppice_lobby_address_of_socket(&connection->client, peer);
    set_options(lobby, connection);
    if (lobby->settings.proxy_protocol[listener]) connection->flags |= LOBBY_PROXY_DUE;
    if (lobby->settings.https[listener]) connection->flags |= LOBBY_HTTPS;
    bool trusted = coppice_trusted_networks_include(&lobby->settings.trusted_proxies, &connection->client);
    if (trusted) connection->flags |= LOBBY_TRUSTED_PEER;
    if (lobby_client_enter(lobby, connection)) {
        lobby_arm(lobby, connection, lobby_process.now_ms + lobby->settings.client_header_timeout_ms);
        lobby_read(lobby, connection);
    } else {
        lobby_refuse_client(lobby);
    }
    lobby_let_go(lobby);
}

/* Answers whether there may be more. */
bool lobby_accept(struct coppice_lobby *lobby, uint32_t listener) {
    int listener_fd = lobby->listener_fds[listener];
    for (int i = 0; i < BATCH && lobby->accepting; i++) {
        struct sockaddr_storage peer = {.ss_family = 0};
        socklen_t length = sizeof(peer);
        if (!lobby_spares_open(lobby)) { /* files and seats are needed more than another client */
            return turn_away(lobby, listener_fd);
        }
        int fd = accept4(listener_fd, (struct sockaddr *)&peer, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            lobby_process.listen_error = 0;
            begin(lobby, listener, fd, &peer);
        } else if (is_lack(errno)) {
            return turn_away(lobby, listener_fd);
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return false;
        }
    }
    return lobby->accepting;
}

/* The monitor has made the sockets refuse new clients: those who have connected before that are served. */
void lobby_close_listeners(struct coppice_lobby *lobby) {
    stop_listening(lobby);
    for (uint32_t i = 0; i < lobby->settings.listeners; i++) {
        int fd = lobby->listener_fds[i];
        if (fd < 0) continue;
        while (!lobby->settings.borrowed[i] && lobby_accept(lobby, i)) continue;
        lobby->listener_fds[i] = -1;
        close(fd);
    }
    lobby->accepting = false;
    lobby_count_to(lobby->counters, LOBBY_paused, 0);
}
