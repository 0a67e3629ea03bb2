# frozen_string_literal: true

require "coppice/config/groups"
require "coppice/config/maximum"
require "coppice/config/option"
require "coppice/config/types"
require "coppice/config/types/lobby"

module Coppice
  module Config
    # The part of the catalogue of options that is about the lobby: what it does with connections, and how much of
    # everything it may keep.
    LOBBY_OPTIONS = [
      Option.describe(:keepalive_timeout, Groups::LOBBY, Types::Seconds.new(minimum: 0), scope: :server, default: 20,
        since: :coppice, example: "keepalive_timeout 20, trusted: 75",
        doc: "Maximum time between two requests on one connection; 0 closes it after each response. " \
             "`trusted:` (default: 75) is for connections from `trusted_proxies` and through Unix sockets. It must " \
             "be longer than the idle timeout of the proxy or load balancer, which might otherwise send a request on " \
             "a connection that is just being closed."),
      Option.describe(:trusted_keepalive_timeout, Groups::LOBBY, Types::Seconds.new(minimum: 0), scope: :server,
        default: 75, since: :coppice,
        doc: "Maximum time between two requests of a trusted proxy: the same as `trusted:` of keepalive_timeout."),
      Option.describe(:max_connections, Groups::LOBBY, Types::Whole.new(minimum: 1, maximum: 1_000_000),
        scope: :server, default: 10_000, since: :coppice,
        doc: "Maximum number of open connections. When all are in use, idle ones are closed first, and then new " \
             "clients get a 503 response. Behind a proxy leave room (docs/proxies.md, Idle connections). The limit " \
             "of file descriptors (RLIMIT_NOFILE) may lower it; one line of the log says so."),
      Option.describe(:max_connections_per_client, Groups::LOBBY,
        Types::Optional.new(Types::Whole.new(minimum: 1, maximum: Maximum::C_INT)), scope: :server,
        default_text: "nil: no limit",
        since: :coppice, example: "max_connections_per_client 100",
        doc: "Maximum number of open connections of one IPv4 address, or of one IPv6 network of 64 bits. Trusted " \
             "proxies are exempt."),
      Option.describe(:max_waiting, Groups::LOBBY, Types::Whole.new(minimum: 0, maximum: 60_000), scope: :server,
        default: 1024, since: :coppice, example: "max_waiting 20",
        doc: "Number of requests that may wait for a worker, beside those that free workers are about to take. When " \
             "more come, the lobby answers 503; /readyz on admin_listen fails while it would, and while more " \
             "clients than that wait in the queues of listeners without a lobby."),
      Option.describe(:queue_timeout, Groups::LOBBY, Types::Optional.new(Types::Seconds.new), scope: :server,
        default: 10, since: :coppice, example: "queue_timeout nil",
        doc: "Maximum time that a request may wait for a worker; after it the lobby answers 503. The X-Request-Start " \
             "header of a trusted proxy says when the waiting has begun, if no worker is free; the time in which the " \
             "lobby read the request does not count. nil means no limit."),
      Option.describe(:retry_lost_requests, Groups::LOBBY, Types::Boolean.new, scope: :server, default: true,
        since: :coppice, example: "retry_lost_requests false",
        doc: "Whether a request whose worker crashed or was killed may go to another worker. It does once, if the " \
             "method is GET, HEAD or OPTIONS and no byte of the response was sent, and never after a timeout or when " \
             "memory ran out. Other lost requests are answered with 502."),
      Option.describe(:request_buffering, Groups::LOBBY, Types::Boolean.new, scope: :server, default: true,
        since: :coppice, example: "request_buffering false",
        doc: "Whether the lobby reads the whole body before it gives the request to a worker. With false the " \
             "application can read an upload while it arrives, and a slow client occupies its worker."),
      Option.describe(:response_buffer, Groups::LOBBY,
        Types::Whole.new(minimum: 64 * 1024, maximum: Maximum::BYTES, bytes: true), scope: :server,
        default: 1024 * 1024, since: :coppice, example: "response_buffer 4 * 1024 * 1024",
        doc: "Maximum number of bytes of one response that the lobby keeps in memory for a slow client. The rest " \
             "goes to a file in `buffer_directory`, so that the worker need not wait."),
      Option.describe(:buffer_directory, Groups::LOBBY, Types::Optional.new(Types::Directory.new), scope: :server,
        default_text: "nil: TMPDIR, or else /tmp", since: :coppice, example: "buffer_directory \"/var/tmp\"",
        doc: "Where large request bodies and responses are kept. The files have no names, and the kernel " \
             "removes them when the lobby closes them or exits. Workers keep the large bodies there that they read " \
             "themselves, as at listeners without the lobby."),
      Option.describe(:buffer_disk_limit, Groups::LOBBY,
        Types::Whole.new(minimum: 0, maximum: Maximum::BYTES, bytes: true), scope: :server,
        default: 1024 * 1024 * 1024, since: :coppice, example: "buffer_disk_limit 256 * 1024 * 1024",
        doc: "Maximum size of all these files together. Responses may use three quarters of it, request bodies what " \
             "is left. When responses find no room, workers wait for their clients, and clients slower than " \
             "`client_min_rate` are cut off. When a request has waited for one second meanwhile, the slowest readers " \
             "are cut off as well (docs/http.md). A body over 112 KiB counts, so one that is larger than the limit " \
             "is answered with 507. With 0, all of these are, unless `request_buffering` or " \
             "`rewindable_input` is false, and responses use no disk: a worker waits for its client beyond " \
             "`response_buffer`."),
      Option.describe(:access_log, Groups::LOBBY, Types::Optional.new(Types::AccessLog.new), scope: :server,
        flag: nil, default_text: "nil: none", since: :coppice, example: "access_log :json, \"log/access.log\"",
        doc: "Writes one line for each request: `:text` as pairs of name=value, `:json` as one object. Without a " \
             "path the lines go to standard output. A full pipe makes no request wait: lines that find no room are " \
             "dropped and counted. `coppice reopen-logs` opens the file anew. docs/operations.md explains the fields.")
    ].freeze
  end
end
