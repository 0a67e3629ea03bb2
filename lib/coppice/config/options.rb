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
        doc: "Number of worker processes. Each serves one client at a time. In a range, such as 2..16, the number " \
             "follows the load (docs/operations.md, As many workers as wait). `:auto` is a range from 1.5 to 8 " \
             "workers for each processor that the server may use (by CPU affinity and the cgroup's quota), at least " \
             "2. Both are lower when the mold and that many workers of half the mold's PSS would take more than " \
             "80 % of the memory, which is the cgroup's limit or the machine's; that is decided once, after the " \
             "application is loaded, and logged. 0 runs everything in one process with three threads, without " \
             "forking and without a request timeout, for development and debugging; systems other than Linux always " \
             "do that."),
      Option.describe(:spawn_timeout, Groups::PROCESSES, Types::Seconds.new, scope: :release, default: 10,
        doc: "Maximum time from the fork of a worker or mold until it is ready, without the time for which it waits " \
             "for a processor. A process that takes longer is killed and replaced: a fork can leave a deadlock " \
             "behind. A mold has three times as long, and as long again for its first fork: after_mold_fork and " \
             "before_fork may prepare there what all workers share."),
      Option.describe(:boot_timeout, Groups::PROCESSES, Types::Seconds.new, scope: :release, default: 300,
        since: :coppice,
        doc: "Maximum time for a cold mold to load the application. Forks have their own limit, spawn_timeout."),
      Option.describe(:max_consecutive_spawn_errors, Groups::PROCESSES,
        Types::Optional.new(Types::Whole.new(minimum: 1)), scope: :release,
        default_text: "nil: never give up", example: "max_consecutive_spawn_errors 5",
        doc: "Number of consecutive workers that fail to become ready after which the server exits with status 1. A " \
             "worker that becomes ready resets the count. Lobbies that last less than ten seconds have a count of " \
             "their own. A server without this option tries forever, and warns once after five."),
      Option.describe(:setpgid, Groups::PROCESSES, Types::Boolean.new, scope: :server, default: true,
        example: "setpgid false",
        doc: "Whether each child process leads a process group of its own. Use false to read from the terminal in a " \
             "worker, for instance in a debugger."),
      Option.describe(:warmup, Groups::PROCESSES, Types::OneOf.new(:auto, true, false), scope: :release, default: :auto,
        since: :coppice, example: "warmup false",
        doc: "Whether the heap of a mold is prepared, so that its children share more memory: by Process.warmup " \
             "where it has booted the application (from Ruby 3.3 on), and by a collection in a worker before it " \
             "forks a mold. :auto means true."),
      Option.describe(:control_socket, Groups::PROCESSES, Types::Optional.new(Types::SocketPath.new), scope: :server,
        default_text: "nil: only the abstract name", since: :coppice,
        example: "control_socket \"/run/app/control.sock\"",
        doc: "One more Unix socket for commands such as `coppice status --socket PATH`. It is for a sidecar that " \
             "shares a folder with the server. Only the server's user and root can use it. The server always has a " \
             "control socket with an abstract name as well, which the commands find by the monitor's pid."),
      Option.describe(:pidfile, Groups::PROCESSES, Types::Optional.new(Types::FilePath.new), scope: :server,
        default_text: "nil: none", since: :coppice, example: "pidfile \"tmp/pids/server.pid\"",
        doc: "A file that has the server's pid while the server runs, for scripts and supervisors that read one. The " \
             "commands of `coppice` need none. A server that starts replaces the file, and removes it at its end if " \
             "it still has the server's own pid."),
      Option.describe(:guests, Groups::PROCESSES, Types::Optional.new(Types::GuestCount.new), scope: :release,
        default_text: "nil: 4 in development, else false", since: :coppice, example: "guests 4",
        doc: "Maximum number of guests at the same time: the programs that `coppice run` and `coppice console` run " \
             "in forks of the warm application, for this server's user and root (docs/guests.md). false allows none."),
      Option.describe(:guest_timeout, Groups::PROCESSES, Types::Optional.new(Types::Seconds.new), scope: :release,
        default_text: "nil: no limit", since: :coppice, example: "guest_timeout 3600",
        doc: "Maximum time that a guest may run. After it, the guest's process group gets HUP, and KILL five seconds " \
             "later."),
      Option.describe(:release_connections_after, Groups::PROCESSES, Types::Optional.new(Types::Seconds.new),
        scope: :release, default_text: "nil: never", since: :coppice, example: "release_connections_after 60",
        doc: "Time without a request after which a worker closes its database connections. It closes those of " \
             "Active Record and Sequel that no thread uses. The next request opens one again. Idle workers look " \
             "every five seconds."),

      Option.describe(:listen, Groups::LISTENERS, Types::Addresses.new, scope: :server, flag: nil,
        default: [Listeners::Address.parse(8080)].freeze, environment: "PORT",
        default_text: "`listen 8080`; in development `listen \"localhost:8080\"`",
        example: "listen 3000\nlisten \"/run/app.sock\", backlog: 64",
        doc: "An address to listen on; may be given several times. See [Addresses](#addresses) for its forms and " \
             "options. The flags -p, -o, -b and -l, and the environment variable PORT, replace the file's addresses. " \
             "Such an address has the options that the file gives to it, or else to its port: but not " \
             "proxy_protocol and scheme, if others than the file's clients can reach it. A file that already " \
             "listens on PORT is left as it is. `coppice check` and the start warn where PORT replaces a Unix " \
             "socket, or an address that only this machine reaches. A port without a host is one of localhost where " \
             "development is named (RACK_ENV, RAILS_ENV, -E, `bin/rails server` and `rackup`), and else of all IPv4 " \
             "addresses. Where nothing names an environment the server warns of such a port in the file, and -p, " \
             "PORT and the default mean localhost. For a container in development: `listen \"*:3000\"` or -b 0.0.0.0."),
      Option.describe(:accept_order, Groups::LISTENERS, Types::OneOf.new(:kernel, :fair), scope: :server,
        default: :kernel, since: :coppice, example: "accept_order :fair",
        doc: "Which idle worker serves the next client. :kernel leaves the choice to Linux, or to the lobby. Both " \
             "prefer the same workers whenever they are idle: with little traffic the others stay cold, and small. " \
             ":fair takes the worker that has been idle longest, so that all workers get an equal share."),

      *LOBBY_OPTIONS,

      *TIMEOUT_OPTIONS,

      Option.describe(:refork_after, Groups::REFORKING, Types::Optional.new(Types::RequestCounts.new), scope: :release,
        default_text: "nil: only on request (USR2)", example: "refork_after [50, 100, 1000]",
        doc: "Number of requests that one worker serves before the next generation starts. The list has one count " \
             "for each generation, and the last one repeats. With false as the last element, that generation is the " \
             "final one. `:auto` starts a generation when the memory that it saves is worth more than the work that " \
             "it costs (docs/memory.md)."),
      Option.describe(:refork_max_unavailable, Groups::REFORKING, Types::Optional.new(Types::Whole.new(minimum: 1)),
        scope: :release, default_text: "0 with refork_surge, else a tenth of the workers, rounded up",
        example: "refork_max_unavailable 5",
        doc: "Maximum number of workers that may be missing at the same time during a rollout."),
      Option.describe(:refork_surge, Groups::REFORKING, Types::WorkerShare.new, scope: :release, default: "10%",
        since: :coppice, example: "refork_surge 2",
        doc: "Maximum number of workers beyond `worker_processes` during a rollout. Each replacement is ready before " \
             "the worker that it replaces exits, so that capacity does not drop. Extra workers have the numbers from " \
             "`worker_processes` on. A number, or a share, rounded up; 0 saves their memory. Where memory is short, " \
             "there are only as many as have room, each with as much as the largest worker has of its own."),
      Option.describe(:refork_backoff, Groups::REFORKING, Types::Seconds.new(minimum: 0), scope: :release, default: 10,
        since: :coppice, doc: "Time to wait after a failed refork before the next attempt."),
      Option.describe(:keep_mold, Groups::REFORKING, Types::Boolean.new, scope: :release, default: true,
        since: :coppice, example: "keep_mold false",
        doc: "Whether there is a mold while there is nothing to fork. With false it exits ten seconds after all " \
             "workers and services are there, which saves the pages that only it still has. When a worker is lost, " \
             "the warmest one forks a mold that replaces it; a worker that is over a limit begins a new generation " \
             "(docs/memory.md, The memory of the mold). Not with `guests`, which are forked from the mold, nor with " \
             "`fork_audit :refuse`, which returns to it."),
      Option.describe(:quick_exit, Groups::REFORKING, Types::Boolean.new, scope: :release, default: true,
        since: :coppice, example: "quick_exit false",
        doc: "Whether workers and molds end before Ruby frees their objects one by one, which would copy many of the " \
             "pages that they share. at_exit handlers and the `ensure` of threads run in any case; of finalizers " \
             "only those of objects that no other process has. Files are flushed, connections to databases closed. " \
             "false is for a C extension that must free its objects at the end (docs/memory.md, How workers exit)."),
      Option.describe(:fork_audit, Groups::REFORKING, Types::OneOf.new(:warn, :refuse, :off), scope: :release,
        default: :warn, since: :coppice, example: "fork_audit :refuse",
        doc: "What to do when something has not survived the forks that made a new mold's first worker: it shares a " \
             "connection with its ancestors, lacks one of their threads, or they have native threads " \
             "(docs/fork_safety.md, The fork audit). :warn logs it once. :refuse also abandons the new mold, so that " \
             "the old generation, or the old release, goes on serving. The first boot is never refused, nor one of " \
             "the same release. :off does not look."),

      Option.describe(:fork_safety_presets, Groups::REFORKING, Types::ForkSafetyPresets.new, scope: :release,
        default: true, since: :coppice, example: "fork_safety_presets except: [:pg]",
        doc: "Whether Coppice calls what loaded libraries need when a process forks: docs/fork_safety.md lists them. " \
             "Your own hooks run afterwards. `except:` names presets that do nothing."),

      *RELEASE_OPTIONS,

      # The monitor passes both to a cold mold in its environment: Ruby and the C library read them before any file.
      *MEMORY_OPTIONS,
      Option.describe(:rewindable_input, Groups::REQUESTS, Types::Boolean.new, scope: :release, default: true,
        example: "rewindable_input false",
        doc: "Whether `env[\"rack.input\"]` can be rewound. Rack 3 does not require it: false saves memory and disk " \
             "writes for uploads. With Rack 2 the input then has a `rewind` that raises an error, and forms cannot " \
             "be read."),
      Option.describe(:client_body_buffer_size, Groups::REQUESTS,
        Types::Whole.new(minimum: 0, maximum: Maximum::BYTES, bytes: true),
        scope: :release, default: 112 * 1024, example: "client_body_buffer_size 512 * 1024",
        doc: "Maximum size of a rewindable body in memory; a larger body goes to a temporary file."),
      Option.describe(:early_hints, Groups::REQUESTS, Types::Boolean.new, scope: :release, default: false,
        example: "early_hints true",
        doc: "Whether the application may send 103 Early Hints with `env[\"rack.early_hints\"]`. Some proxies fail " \
             "at them: behind nginx 1.22 requests hang (docs/proxies.md, Early hints)."),
      Option.describe(:check_client_connection, Groups::REQUESTS, Types::Boolean.new, scope: :release, default: false,
        example: "check_client_connection true",
        doc: "Whether to check that the client is still connected before the application is called; if it is not, " \
             "the request is dropped. Cannot be combined with the listen option tcp_nopush."),
      Option.describe(:trusted_proxies, Groups::REQUESTS, Types::Optional.new(Types::Networks.new), scope: :release,
        default_text: "loopback and the private networks", since: :coppice,
        example: "trusted_proxies [\"127.0.0.1\", \"10.0.0.0/8\"]",
        doc: "The proxies whose X-Forwarded-Proto and X-Forwarded-Ssl headers decide rack.url_scheme. " \
             "Their X-Forwarded-For names the client in the access log. Clients of a Unix socket are always trusted. " \
             "An empty list trusts no others."),
      Option.describe(:allow_underscore_headers, Groups::REQUESTS, Types::Boolean.new, scope: :release, default: false,
        since: :coppice, example: "allow_underscore_headers true",
        doc: "Whether header names may contain an underscore. The Rack environment does not distinguish such a name " \
             "from the same name with a dash, so a client could forge a header that a proxy sets."),

      Option.describe(:max_request_line_bytes, Groups::LIMITS,
        Types::Whole.new(minimum: 64, maximum: Maximum::HEAD_BYTES, bytes: true), scope: :release,
        default: 15 * 1024, since: :coppice,
        doc: "Maximum size of the request line; a longer one is answered with 414."),
      Option.describe(:max_header_bytes, Groups::LIMITS,
        Types::Whole.new(minimum: 256, maximum: Maximum::HEAD_BYTES, bytes: true), scope: :release,
        default: 112 * 1024, since: :coppice,
        doc: "Maximum size of the head of a request; a larger one is answered with 431."),
      Option.describe(:max_header_count, Groups::LIMITS, Types::Whole.new(minimum: 1, maximum: Maximum::HEADERS),
        scope: :release, default: 128, since: :coppice,
        doc: "Maximum number of headers of a request; more are answered with 431."),
      Option.describe(:max_body_bytes, Groups::LIMITS,
        Types::Optional.new(Types::Whole.new(minimum: 0, maximum: Maximum::BYTES, bytes: true)),
        scope: :release, default_text: "nil: no limit", since: :coppice, example: "max_body_bytes 10 * 1024 * 1024",
        doc: "Maximum size of the body of a request; a larger one is answered with 413. One that the lobby " \
             "keeps in a file, and that is larger than `buffer_disk_limit`, is answered with 507."),

      # Each process reads the logger from the file: an object does not travel from the monitor to a mold.
      Option.describe(:logger, Groups::LOGGING,
        Types::Optional.new(Types::RespondsTo.new(:debug, :info, :warn, :error, :fatal)), scope: :release,
        default_text: "one line for each event, on standard error", example: "logger Logger.new(\"log/server.log\")",
        doc: "The server's logger: an object like Ruby's Logger."),
      Option.describe(:log_level, Groups::LOGGING, Types::OneOf.new(:debug, :info, :warn, :error, :fatal),
        scope: :release, default: :info, since: :coppice, example: "log_level :debug",
        doc: "Minimum severity of the lines that are logged. :debug adds a line for each request that is refused or " \
             "that its client gave up, and for each process that becomes ready or exits. A custom logger has its own " \
             "level."),
      Option.describe(:log_format, Groups::LOGGING, Types::OneOf.new(:auto, :terminal, :text, :json), scope: :server,
        default: :auto, since: :coppice, example: "log_format :json",
        doc: "Format of the log lines, unless a custom logger is set. :terminal is made for people: short lines, in " \
             "colours where the terminal and the environment (NO_COLOR, FORCE_COLOR) allow them. :text has all " \
             "fields as key=value pairs. :auto means :terminal when standard error is a terminal, or when " \
             "FORCE_COLOR is set, and :text elsewhere."),

      Option.describe(:stdout_path, Groups::LOGGING, Types::Optional.new(Types::FilePath.new), scope: :server,
        default_text: "nil: as the server was started", since: :coppice, example: "stdout_path \"log/stdout.log\"",
        doc: "The file that the standard output of all processes is appended to. `coppice reopen-logs` opens it anew."),
      Option.describe(:stderr_path, Groups::LOGGING, Types::Optional.new(Types::FilePath.new), scope: :server,
        default_text: "nil: as the server was started", since: :coppice, example: "stderr_path \"log/stderr.log\"",
        doc: "The file that the standard error of all processes is appended to, with the server's log. `coppice " \
             "reopen-logs` opens it anew. What is wrong with the configuration, a listener or the pidfile is " \
             "also written to the stream that the server was started with."),

      Option.describe(:admin_listen, Groups::MONITORING, Types::Optional.new(Types::AdminAddresses.new),
        scope: :server, default_text: "nil: no observer", since: :coppice,
        example: "admin_listen \"127.0.0.1:9293\"",
        doc: "Where the observer serves metrics, health checks and the dashboard: one address or a list, in the " \
             "forms of `listen`. A port alone means 127.0.0.1. An address that other machines can reach needs " \
             "admin_token. See docs/monitoring.md."),
      # Without a flag: everybody on the machine can read the arguments of a process.
      Option.describe(:admin_token, Groups::MONITORING, Types::Optional.new(Types::Secret.new), scope: :server,
        default_text: "nil: none", since: :coppice, example: "admin_token ENV[\"ADMIN_TOKEN\"]",
        doc: "The secret that clients of admin_listen must know. They send it as `Authorization: Bearer TOKEN`; a " \
             "browser is asked for it. /livez and /readyz need none. Where it is set, it is needed on every address " \
             "of admin_listen."),
      Option.describe(:admin_hosts, Groups::MONITORING, Types::HostNames.new, scope: :server, default: [].freeze,
        since: :coppice, example: "admin_hosts [\"admin.example.com\"]",
        doc: "Names under which clients may address admin_listen, besides localhost and IP addresses. A request with " \
             "another Host header is refused: it may come from a foreign page in a browser, by DNS rebinding. /livez " \
             "and /readyz take any."),
      Option.describe(:admin_actions, Groups::MONITORING, Types::Boolean.new, scope: :server, default: false,
        since: :coppice, example: "admin_actions true",
        doc: "Whether the dashboard on admin_listen may change the server: refork, recycle a worker, change the " \
             "number of workers, roll to the release in the server's directory, and roll back."),
      Option.describe(:stats_interval, Groups::MONITORING, Types::Seconds.new, scope: :release, default: 10,
        flag: nil, since: :coppice,
        doc: "Time between two calls of the hook on_stats: the same as `every:` of on_stats.")
    ])
  end
end
