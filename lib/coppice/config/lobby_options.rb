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
        doc: "Maximum time between two requests on one connection; 0 closes it after each response. `trusted:` " \
             "(default: 75), for `trusted_proxies` and Unix sockets, must be longer than the proxy's idle timeout."),
      Option.describe(:trusted_keepalive_timeout, Groups::LOBBY, Types::Seconds.new(minimum: 0), scope: :server,
        default: 75, since: :coppice,
        doc: "The `trusted:` of `keepalive_timeout`."),
      Option.describe(:max_connections, Groups::LOBBY, Types::Whole.new(minimum: 1, maximum: 1_000_000),
        scope: :server, default: 10_000, since: :coppice,
        doc: "Maximum number of open connections; RLIMIT_NOFILE may lower it. At the limit idle ones are closed, " \
             "then new clients get 503 (docs/proxies.md#idle-connections)."),
      Option.describe(:max_connections_per_client, Groups::LOBBY,
        Types::Optional.new(Types::Whole.new(minimum: 1, maximum: Maximum::C_INT)), scope: :server,
        default_text: "nil: no limit",
        since: :coppice, example: "max_connections_per_client 100",
        doc: "Maximum number of open connections of one IPv4 address or IPv6 /64 network, but not of a trusted proxy."),
      Option.describe(:max_waiting, Groups::LOBBY, Types::Whole.new(minimum: 0, maximum: 60_000), scope: :server,
        default: 1024, since: :coppice, example: "max_waiting 2000",
        doc: "Number of requests that may wait for a worker. The lobby answers more with 503, and /readyz fails " \
             "meanwhile, also without a lobby."),
      Option.describe(:queue_timeout, Groups::LOBBY, Types::Optional.new(Types::Seconds.new), scope: :server,
        default: 10, since: :coppice, example: "queue_timeout 5",
        doc: "Maximum time that a request may wait for a worker; then the lobby answers 503. If none is free, it " \
             "counts from the X-Request-Start of a trusted proxy."),
      Option.describe(:retry_lost_requests, Groups::LOBBY, Types::Boolean.new, scope: :server, default: true,
        since: :coppice, example: "retry_lost_requests true",
        doc: "Whether another worker repeats a request whose worker crashed or was killed: once, for GET, HEAD and " \
             "OPTIONS without a byte of response, not after a timeout or lack of memory. Others get 502."),
      Option.describe(:request_buffering, Groups::LOBBY, Types::Boolean.new, scope: :server, default: true,
        since: :coppice, example: "request_buffering false",
        doc: "Whether the lobby reads the whole body before a worker gets the request. With false the application " \
             "can stream uploads, and slow clients occupy workers."),
      Option.describe(:response_buffer, Groups::LOBBY,
        Types::Whole.new(minimum: 64 * 1024, maximum: Maximum::BYTES, bytes: true), scope: :server,
        default: 1024 * 1024, since: :coppice, example: "response_buffer 4 * 1024 * 1024",
        doc: "Maximum size of a response in the lobby's memory, for a slow client; the rest goes to a file."),
      Option.describe(:buffer_directory, Groups::LOBBY, Types::Optional.new(Types::Directory.new), scope: :server,
        default_text: "nil: TMPDIR, or else /tmp", since: :coppice, example: "buffer_directory \"/var/tmp\"",
        doc: "Where large bodies and responses are kept, in files without names."),
      Option.describe(:buffer_disk_limit, Groups::LOBBY,
        Types::Whole.new(minimum: 0, maximum: Maximum::BYTES, bytes: true), scope: :server,
        default: 1024 * 1024 * 1024, since: :coppice, example: "buffer_disk_limit 256 * 1024 * 1024",
        doc: "Maximum size of all files in `buffer_directory` (docs/http.md#clients-that-read-slowly). A body over " \
             "112 KiB counts, and gets 507 above the limit. With 0 all of these do, unless `request_buffering` or " \
             "`rewindable_input` is false."),
      Option.describe(:access_log, Groups::LOBBY, Types::Optional.new(Types::AccessLog.new), scope: :server,
        flag: nil, default_text: "nil: none", since: :coppice, example: "access_log :json, \"log/access.log\"",
        doc: "Writes one line for each request, to the path or to standard output (docs/operations.md#access-log). " \
             "`coppice reopen-logs` reopens the file.")
    ].freeze
  end
end
