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
        doc: "The soft limit of a request. After it the worker calls after_worker_timeout on a second thread, and " \
             "exits. After `cleanup:` more seconds (default: 2) the monitor kills the worker: the hard limit. " \
             "`cold:` is the soft limit in workers that are still cold (see timeout_cold). `timeout_for` sets it for " \
             "some paths. The application sets it for a single request with " \
             "`env[\"coppice.timeout\"]&.call(120)`, which counts from the start of the request; " \
             "`env[\"coppice.timeout\"]&.extend_deadline(10)` adds seconds, or takes some if negative."),
      Option.describe(:timeout_cleanup, Groups::TIMEOUTS, Types::Seconds.new, scope: :release, default: 2,
        since: :coppice,
        doc: "Time between the soft limit and the hard limit of a request: the same as `cleanup:` of timeout."),
      Option.describe(:timeout_cold, Groups::TIMEOUTS, Types::Optional.new(Types::Seconds.new), scope: :release,
        since: :coppice, example: "timeout_cold 60", default_text: "nil: 60 s where `timeout` is not set, else that",
        doc: "The soft limit of a request in a worker that is forked from a mold which has booted the application " \
             "and never served: the same as `cold:` of timeout. There the first requests load code and open " \
             "connections. It holds until a refork: without reforks for as long as the server runs. A shorter one " \
             "than `timeout` has no effect, and `timeout_for` goes before both."),
      Option.describe(:timeout_for, Groups::TIMEOUTS, Types::RouteTimeouts.new, scope: :release, default: [].freeze,
        flag: nil, since: :coppice, default_text: "none",
        example: "timeout_for \"/exports\", 120\ntimeout_for %r{\\A/api/v\\d+/search\\z}, 2.5",
        doc: "The soft limit of requests for some paths, in place of `timeout`; may be given several times, and the " \
             "first line that fits counts. A text means that path and all below it, a Regexp what it matches. The " \
             "longest limit of all lines counts for a graceful shutdown."),
      Option.describe(:shutdown_delay, Groups::TIMEOUTS, Types::Seconds.new(minimum: 0), scope: :release, default: 0,
        since: :coppice, example: "shutdown_delay 5",
        doc: "Time for which the server continues to serve after TERM, QUIT or HUP. Meanwhile " \
             "`Coppice::Info.shutting_down?` is true, so that the health check fails and the proxy sends its clients " \
             "elsewhere. Then the server stops accepting connections and drains its listen queues."),
      Option.describe(:timeout_signal, Groups::TIMEOUTS, Types::SignalName.new, scope: :release, default: :KILL,
        example: "timeout_signal { |pid| :ABRT }",
        doc: "The signal that the monitor sends to a process that is past its hard limit. A name, or a block that " \
             "takes the pid and returns a name."),
      Option.describe(:client_header_timeout, Groups::TIMEOUTS, Types::Seconds.new, scope: :release, default: 15,
        since: :coppice,
        doc: "Maximum time for a client to send the head of its request. After it the client gets a 408 response."),
      Option.describe(:client_body_timeout, Groups::TIMEOUTS, Types::Seconds.new, scope: :release, default: 15,
        since: :coppice,
        doc: "Maximum pause of a client while it sends the body of its request."),
      Option.describe(:client_write_timeout, Groups::TIMEOUTS, Types::Seconds.new, scope: :release, default: 15,
        since: :coppice,
        doc: "Maximum pause of a client while it reads the response. Time spent waiting for a client does not count " \
             "against `timeout`."),
      Option.describe(:client_min_rate, Groups::TIMEOUTS,
        Types::Optional.new(Types::Whole.new(minimum: 1, maximum: Maximum::C_INT, bytes: true)), scope: :release,
        default: 4096,
        since: :coppice, example: "client_min_rate nil",
        doc: "Minimum number of body bytes that a client must send or read in each second of waiting for it. A " \
             "slower client that never pauses could occupy its worker for hours. The limit applies after " \
             "`client_body_timeout` or `client_write_timeout` seconds; nil means no limit. Bytes that are still in " \
             "the server's send buffer do not count as read.")
    ].freeze
  end
end
