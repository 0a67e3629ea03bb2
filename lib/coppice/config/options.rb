# frozen_string_literal: true

require "coppice/config/catalogue"
require "coppice/config/groups"
require "coppice/config/maximum"
require "coppice/config/lobby_options"
require "coppice/config/memory_options"
require "coppice/config/option"
require "coppice/config/release_options"
require "coppice/config/timeout_options"
require "coppice/config/types"
require "coppice/config/types/addresses"
require "coppice/config/types/admin"
require "coppice/config/types/amounts"
require "coppice/config/types/guests"
require "coppice/config/types/process"
require "coppice/listeners/address"

module Coppice
  module Config
    # The catalogue of options: the only place, with the *_options.rb beside it, where an option is described. The
    # methods of the configuration file, the flags, the readers of Settings, the help and docs/configuration.md are all
    # made from this table.
    OPTIONS = Catalogue.new([
      Option.describe(:worker_processes, Groups::PROCESSES, Types::WorkerCount.new, scope: :release, default: 1,
        flag: "--workers", environment: "WEB_CONCURRENCY", example: "worker_processes 2..16",
        doc: "Number of worker processes, each for one client at a time. A range follows the load; `:auto` is a " \
             "range of 1.5 to 8 per processor, fewer where memory is short " \
             "(docs/operations.md#as-many-workers-as-wait). 0 runs one process with three threads for development, " \
             "without forks or a request timeout."),
      Option.describe(:spawn_timeout, Groups::PROCESSES, Types::Seconds.new, scope: :release, default: 10,
        doc: "Maximum time until a forked worker is ready; then it is killed and replaced. A mold has three times as " \
             "long (docs/operations.md#timeouts)."),
      Option.describe(:boot_timeout, Groups::PROCESSES, Types::Seconds.new, scope: :release, default: 300,
        since: :coppice,
        doc: "Maximum time for a cold mold to load the application."),
      Option.describe(:max_consecutive_spawn_errors, Groups::PROCESSES,
        Types::Optional.new(Types::Whole.new(minimum: 1)), scope: :release,
        default_text: "nil: never give up", example: "max_consecutive_spawn_errors 5",
        doc: "Number of workers in a row that fail to become ready before the server exits with status 1. Lobbies " \
             "that fail within ten seconds have the same limit."),
      Option.describe(:setpgid, Groups::PROCESSES, Types::Boolean.new, scope: :server, default: true,
        example: "setpgid false",
        doc: "Whether each child process leads its own process group. A debugger in a worker needs false to read " \
             "from the terminal."),
      Option.describe(:warmup, Groups::PROCESSES, Types::OneOf.new(:auto, true, false), scope: :release, default: :auto,
        since: :coppice, example: "warmup false",
        doc: "Whether to prepare a mold's heap, so that its children share more memory: by `Process.warmup` (Ruby " \
             "3.3 or newer) and a collection. `:auto` means true."),
      Option.describe(:control_socket, Groups::PROCESSES, Types::Optional.new(Types::SocketPath.new), scope: :server,
        default_text: "nil: only the abstract name", since: :coppice,
        example: "control_socket \"/run/app/control.sock\"",
        doc: "A second Unix socket for commands, for instance from a sidecar: `coppice status --socket PATH`. Only " \
             "the server's user and root can use it."),
      Option.describe(:pidfile, Groups::PROCESSES, Types::Optional.new(Types::FilePath.new), scope: :server,
        default_text: "nil: none", since: :coppice, example: "pidfile \"tmp/pids/server.pid\"",
        doc: "A file with the server's pid, for scripts; the commands of `coppice` need none."),
      Option.describe(:guests, Groups::PROCESSES, Types::Optional.new(Types::GuestCount.new), scope: :release,
        default_text: "nil: 4 in development, else false", since: :coppice, example: "guests 4",
        doc: "Maximum number of programs that `coppice run` and `coppice console` run at once (docs/guests.md)."),
      Option.describe(:guest_timeout, Groups::PROCESSES, Types::Optional.new(Types::Seconds.new), scope: :release,
        default_text: "nil: no limit", since: :coppice, example: "guest_timeout 3600",
        doc: "Maximum time of a guest; then its process group gets HUP, and KILL five seconds later."),
      Option.describe(:release_connections_after, Groups::PROCESSES, Types::Optional.new(Types::Seconds.new),
        scope: :release, default_text: "nil: never", since: :coppice, example: "release_connections_after 60",
        doc: "Time without a request after which a worker closes its unused database connections (Active Record, " \
             "Sequel)."),

      Option.describe(:listen, Groups::LISTENERS, Types::Addresses.new, scope: :server, flag: nil,
        default: [Listeners::Address.parse(8080)].freeze, environment: "PORT",
        default_text: "`listen 8080`; in development `listen \"localhost:8080\"`",
        example: "listen 3000\nlisten \"/run/app.sock\", backlog: 64",
        doc: "An address to listen on; may be given several times. A port without a host means localhost in " \
             "development, else all IPv4 addresses. Where no environment is named (RACK_ENV, RAILS_ENV, -E), -p, " \
             "PORT and the default also mean localhost. In a development container write `listen \"*:3000\"`. The " \
             "flags -p, -o, -b, -l and PORT replace the file's addresses, but keep its options for the same port. If " \
             "the file listens on PORT already, it stays as it is."),
      Option.describe(:accept_order, Groups::LISTENERS, Types::OneOf.new(:kernel, :fair), scope: :server,
        default: :kernel, since: :coppice, example: "accept_order :fair",
        doc: "Which idle worker serves the next client. `:kernel` prefers the same ones, so that the others stay " \
             "small. `:fair` takes the one that was idle longest."),

      *LOBBY_OPTIONS,

      *TIMEOUT_OPTIONS,

      Option.describe(:refork_after, Groups::REFORKING, Types::Optional.new(Types::RequestCounts.new), scope: :release,
        default_text: "nil: only on request (USR2)", example: "refork_after [50, 100, 1000]",
        doc: "Number of requests of one worker before the next generation starts. A list has one count per " \
             "generation; the last repeats, or is false to stop. `:auto` reforks when the memory saved is worth the " \
             "work (docs/memory.md#when-refork_after-auto-reforks)."),
      Option.describe(:refork_max_unavailable, Groups::REFORKING, Types::Optional.new(Types::Whole.new(minimum: 1)),
        scope: :release, default_text: "0 with refork_surge, else a tenth of the workers, rounded up",
        example: "refork_max_unavailable 5",
        doc: "Maximum number of workers that may be missing during a rollout."),
      Option.describe(:refork_surge, Groups::REFORKING, Types::WorkerShare.new, scope: :release, default: "10%",
        since: :coppice, example: "refork_surge 2",
        doc: "Maximum number of workers beyond `worker_processes` during a rollout, so that capacity does not drop; " \
             "fewer where memory is short. Their numbers follow the others'."),
      Option.describe(:refork_backoff, Groups::REFORKING, Types::Seconds.new(minimum: 0), scope: :release, default: 10,
        since: :coppice, doc: "Pause after a failed refork."),
      Option.describe(:keep_mold, Groups::REFORKING, Types::Boolean.new, scope: :release, default: true,
        since: :coppice, example: "keep_mold false",
        doc: "Whether the mold stays while there is nothing to fork. With false the warmest worker forks another " \
             "when one is needed (docs/memory.md#the-memory-of-the-mold-keep_mold). Not with `guests` or `fork_audit " \
             ":refuse`."),
      Option.describe(:quick_exit, Groups::REFORKING, Types::Boolean.new, scope: :release, default: true,
        since: :coppice, example: "quick_exit false",
        doc: "Whether processes exit without freeing each object, which would copy shared pages " \
             "(docs/memory.md#how-workers-exit-quick_exit). at_exit handlers run; finalizers of shared objects do " \
             "not. Set false for a C extension that must free its objects."),
      Option.describe(:fork_audit, Groups::REFORKING, Types::OneOf.new(:warn, :refuse, :off), scope: :release,
        default: :warn, since: :coppice, example: "fork_audit :refuse",
        doc: "What to do when something does not survive the forks of a new mold " \
             "(docs/fork_safety.md#the-fork-audit). `:warn` logs it. `:refuse` also abandons the mold, but never at " \
             "a boot of the same release."),

      Option.describe(:fork_safety_presets, Groups::REFORKING, Types::ForkSafetyPresets.new, scope: :release,
        default: true, since: :coppice, example: "fork_safety_presets except: [:pg]",
        doc: "Whether Coppice prepares loaded libraries for forks, before your own hooks " \
             "(docs/fork_safety.md#libraries). `except:` names presets to leave out."),

      *RELEASE_OPTIONS,
      *MEMORY_OPTIONS,
      Option.describe(:rewindable_input, Groups::REQUESTS, Types::Boolean.new, scope: :release, default: true,
        example: "rewindable_input false",
        doc: "Whether `env[\"rack.input\"]` can be rewound. False saves memory and disk writes for uploads with Rack " \
             "3; Rack 2 then reads no forms."),
      Option.describe(:client_body_buffer_size, Groups::REQUESTS,
        Types::Whole.new(minimum: 0, maximum: Maximum::BYTES, bytes: true),
        scope: :release, default: 112 * 1024, example: "client_body_buffer_size 512 * 1024",
        doc: "Maximum size of a rewindable body in memory; a larger one goes to a temporary file."),
      Option.describe(:early_hints, Groups::REQUESTS, Types::Boolean.new, scope: :release, default: false,
        example: "early_hints true",
        doc: "Whether the application may send 103 with `env[\"rack.early_hints\"]`. Some proxies fail at it " \
             "(docs/proxies.md#early-hints)."),
      Option.describe(:check_client_connection, Groups::REQUESTS, Types::Boolean.new, scope: :release, default: false,
        example: "check_client_connection true",
        doc: "Whether to drop a request whose client has left before the application is called. Not with " \
             "`tcp_nopush`."),
      Option.describe(:trusted_proxies, Groups::REQUESTS, Types::Optional.new(Types::Networks.new), scope: :release,
        default_text: "loopback and the private networks", since: :coppice,
        example: "trusted_proxies [\"127.0.0.1\", \"10.0.0.0/8\"]",
        doc: "The proxies whose X-Forwarded-Proto and X-Forwarded-Ssl decide `rack.url_scheme`. Their " \
             "X-Forwarded-For names the client, in the access log and for whose turn it is in the lobby. Clients of " \
             "Unix sockets are always trusted."),
      Option.describe(:allow_underscore_headers, Groups::REQUESTS, Types::Boolean.new, scope: :release, default: false,
        since: :coppice, example: "allow_underscore_headers true",
        doc: "Whether header names may contain an underscore. Rack reads it as a dash, so clients could forge " \
             "headers of a proxy."),

      Option.describe(:max_request_line_bytes, Groups::LIMITS,
        Types::Whole.new(minimum: 64, maximum: Maximum::HEAD_BYTES, bytes: true), scope: :release,
        default: 15 * 1024, since: :coppice,
        doc: "Maximum size of the request line; a longer one gets 414."),
      Option.describe(:max_header_bytes, Groups::LIMITS,
        Types::Whole.new(minimum: 256, maximum: Maximum::HEAD_BYTES, bytes: true), scope: :release,
        default: 112 * 1024, since: :coppice,
        doc: "Maximum size of the head of a request; a larger one gets 431."),
      Option.describe(:max_header_count, Groups::LIMITS, Types::Whole.new(minimum: 1, maximum: Maximum::HEADERS),
        scope: :release, default: 128, since: :coppice,
        doc: "Maximum number of headers; more get 431."),
      Option.describe(:max_body_bytes, Groups::LIMITS,
        Types::Optional.new(Types::Whole.new(minimum: 0, maximum: Maximum::BYTES, bytes: true)),
        scope: :release, default_text: "nil: no limit", since: :coppice, example: "max_body_bytes 10 * 1024 * 1024",
        doc: "Maximum size of a body; a larger one gets 413."),

      # Each process reads the logger from the file: an object does not travel from the monitor to a mold.
      Option.describe(:logger, Groups::LOGGING,
        Types::Optional.new(Types::RespondsTo.new(:debug, :info, :warn, :error, :fatal)), scope: :release,
        default_text: "one line for each event, on standard error", example: "logger Logger.new(\"log/server.log\")",
        doc: "The server's logger."),
      Option.describe(:log_level, Groups::LOGGING, Types::OneOf.new(:debug, :info, :warn, :error, :fatal),
        scope: :release, default: :info, since: :coppice, example: "log_level :debug",
        doc: "Minimum severity of log lines, without a custom `logger`. `:debug` adds refused and abandoned " \
             "requests, and processes that become ready or exit."),
      Option.describe(:log_format, Groups::LOGGING, Types::OneOf.new(:auto, :terminal, :text, :json), scope: :server,
        default: :auto, since: :coppice, example: "log_format :json",
        doc: "Format of log lines, without a custom `logger`. `:terminal` is short and coloured, `:text` has " \
             "key=value pairs. `:auto` means `:terminal` on a terminal or with FORCE_COLOR, else `:text`."),

      Option.describe(:stdout_path, Groups::LOGGING, Types::Optional.new(Types::FilePath.new), scope: :server,
        default_text: "nil: as the server was started", since: :coppice, example: "stdout_path \"log/stdout.log\"",
        doc: "File for the standard output of all processes. `coppice reopen-logs` reopens it."),
      Option.describe(:stderr_path, Groups::LOGGING, Types::Optional.new(Types::FilePath.new), scope: :server,
        default_text: "nil: as the server was started", since: :coppice, example: "stderr_path \"log/stderr.log\"",
        doc: "File for the standard error of all processes, with the server's log. `coppice reopen-logs` reopens it. " \
             "Errors at the start also go to the original stream."),

      Option.describe(:admin_listen, Groups::MONITORING, Types::Optional.new(Types::AdminAddresses.new),
        scope: :server, default_text: "nil: no observer", since: :coppice,
        example: "admin_listen \"127.0.0.1:9293\"",
        doc: "Where the observer serves metrics, health checks and the dashboard (docs/monitoring.md). A port alone " \
             "means 127.0.0.1. Addresses that other machines can reach need `admin_token`."),
      # Without a flag: everybody on the machine can read the arguments of a process.
      Option.describe(:admin_token, Groups::MONITORING, Types::Optional.new(Types::Secret.new), scope: :server,
        default_text: "nil: none", since: :coppice, example: "admin_token ENV[\"ADMIN_TOKEN\"]",
        doc: "Secret that clients of `admin_listen` send as `Authorization: Bearer TOKEN`; a browser asks for it. " \
             "All paths need it but /livez and /readyz."),
      Option.describe(:admin_hosts, Groups::MONITORING, Types::HostNames.new, scope: :server, default: [].freeze,
        since: :coppice, example: "admin_hosts [\"admin.example.com\"]",
        doc: "Host names by which clients may address `admin_listen`, besides localhost and IP addresses. Others are " \
             "refused, against DNS rebinding."),
      Option.describe(:admin_actions, Groups::MONITORING, Types::Boolean.new, scope: :server, default: false,
        since: :coppice, example: "admin_actions true",
        doc: "Whether the dashboard may refork, recycle a worker, change the number of workers, roll and roll back."),
      Option.describe(:stats_interval, Groups::MONITORING, Types::Seconds.new, scope: :release, default: 10,
        flag: nil, since: :coppice,
        doc: "The `every:` of `on_stats`.")
    ])
  end
end
