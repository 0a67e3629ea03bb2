# frozen_string_literal: true

require "coppice/config/groups"
require "coppice/config/maximum"
require "coppice/config/option"
require "coppice/config/types"
require "coppice/config/types/process"
require "coppice/config/types/routes"

module Coppice
  module Config
    # The part of the catalogue of options that is about time: of requests, of clients, and of a stop.
    TIMEOUT_OPTIONS = [
      Option.describe(:timeout, Groups::TIMEOUTS, Types::Seconds.new, scope: :release, default: 20,
        example: "timeout 10, cleanup: 3, cold: 30",
        doc: "The soft limit of a request; then the worker calls `after_worker_timeout` and exits. `cleanup:` " \
             "seconds later (default: 2), at the hard limit, the monitor kills it. `cold:` is for cold workers " \
             "(`timeout_cold`). For one request the application calls `env[\"coppice.timeout\"]&.call(120)` " \
             "(docs/operations.md#timeouts)."),
      Option.describe(:timeout_cleanup, Groups::TIMEOUTS, Types::Seconds.new, scope: :release, default: 2,
        since: :coppice,
        doc: "The `cleanup:` of `timeout`."),
      Option.describe(:timeout_cold, Groups::TIMEOUTS, Types::Optional.new(Types::Seconds.new), scope: :release,
        since: :coppice, example: "timeout_cold 60", default_text: "nil: 60 s where `timeout` is not set, else that",
        doc: "The `cold:` of `timeout`: the soft limit in workers of a cold mold, until a refork, if it is the " \
             "longer one."),
      Option.describe(:timeout_for, Groups::TIMEOUTS, Types::RouteTimeouts.new, scope: :release, default: [].freeze,
        flag: nil, since: :coppice, default_text: "none",
        example: "timeout_for \"/exports\", 120\ntimeout_for %r{\\A/api/v\\d+/search\\z}, 2.5",
        doc: "The soft limit for some paths; the first line that fits counts. A text means that path and all below " \
             "it. The longest also bounds a graceful shutdown."),
      Option.describe(:shutdown_delay, Groups::TIMEOUTS, Types::Seconds.new(minimum: 0), scope: :release, default: 0,
        since: :coppice, example: "shutdown_delay 5",
        doc: "Time for which the server still serves after TERM, QUIT or HUP. Meanwhile " \
             "`Coppice::Info.shutting_down?` is true: let your health check fail."),
      Option.describe(:timeout_signal, Groups::TIMEOUTS, Types::SignalName.new, scope: :release, default: :KILL,
        example: "timeout_signal { |pid| :ABRT }",
        doc: "The signal for a process past its hard limit."),
      Option.describe(:client_header_timeout, Groups::TIMEOUTS, Types::Seconds.new, scope: :release, default: 15,
        since: :coppice,
        doc: "Maximum time for a client to send the head of a request; then it gets 408."),
      Option.describe(:client_body_timeout, Groups::TIMEOUTS, Types::Seconds.new, scope: :release, default: 15,
        since: :coppice,
        doc: "Maximum pause of a client while it sends a body."),
      Option.describe(:client_write_timeout, Groups::TIMEOUTS, Types::Seconds.new, scope: :release, default: 15,
        since: :coppice,
        doc: "Maximum pause of a client while it reads a response. Waiting for clients does not count against " \
             "`timeout`."),
      Option.describe(:client_min_rate, Groups::TIMEOUTS,
        Types::Optional.new(Types::Whole.new(minimum: 1, maximum: Maximum::C_INT, bytes: true)), scope: :release,
        default: 4096,
        since: :coppice, example: "client_min_rate nil",
        doc: "Body bytes per second that a client must send or read. The limit applies after `client_body_timeout` " \
             "or `client_write_timeout` seconds.")
    ].freeze
  end
end
