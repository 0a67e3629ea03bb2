# frozen_string_literal: true

require "coppice/config/catalogue"
require "coppice/config/types"
require "coppice/config/types/addresses"
require "coppice/config/types/amounts"
require "coppice/config/types/process"
require "coppice/listeners/address"

module Coppice
  module Config
    # Sections of docs/configuration.md, in its order.
    module Groups
      PROCESSES = "Processes"
      LISTENERS = "Listeners"
      TIMEOUTS = "Timeouts"
      REFORKING = "Reforking"
      MEMORY = "Memory"
      REQUESTS = "Requests"
      LIMITS = "Limits of a request"
      LOGGING = "Logging"
    end

    # The catalogue of options: the only place where an option is described. The methods of the configuration file, the
    # flags, the readers of Settings, the help and docs/configuration.md are all made from this table.
    OPTIONS = Catalogue.new([
      Option.describe(:worker_processes, Groups::PROCESSES, Types::WorkerCount.new, scope: :monitor, default: 1,
        flag: "--workers", environment: "WEB_CONCURRENCY", example: "worker_processes 16",
        doc: "Number of worker processes. Each serves one client at a time. 0 runs everything in one process without " \
             "forking, for development and debugging; systems other than Linux always do that. `:auto` starts 1.5 " \
             "workers for each processor that the server may use (by CPU affinity and the cgroup's quota), rounded " \
             "up, and at least 2. It starts fewer when the mold and that many workers of half the mold's PSS would " \
             "take more than 80 % of the memory, which is the cgroup's limit or the machine's. The number is " \
             "decided once, after the application is loaded, and " \
             "logged with the reason."),
      Option.describe(:spawn_timeout, Groups::PROCESSES, Types::Seconds.new, scope: :monitor, default: 10,
        doc: "Maximum time from the fork of a worker or mold until it is ready. A process that takes longer is " \
             "killed and replaced: a fork can leave a deadlock behind. A mold has three times as long, because it " \
             "prepares its heap at a lower priority than workers serve."),
      Option.describe(:boot_timeout, Groups::PROCESSES, Types::Seconds.new, scope: :monitor, default: 300,
        since: :coppice,
        doc: "Maximum time for a cold mold to load the application. Forks have their own limit, spawn_timeout."),
      Option.describe(:max_consecutive_spawn_errors, Groups::PROCESSES,
        Types::Optional.new(Types::Whole.new(minimum: 1)), scope: :monitor,
        default_text: "nil: never give up", example: "max_consecutive_spawn_errors 5",
        doc: "Number of consecutive workers that fail to become ready after which the server exits with status 1. A " \
             "worker that becomes ready resets the count."),
      Option.describe(:setpgid, Groups::PROCESSES, Types::Boolean.new, scope: :monitor, default: true,
        example: "setpgid false",
        doc: "Whether each child process leads a process group of its own. Use false to read from the terminal in a " \
             "worker, for instance in a debugger."),
      Option.describe(:warmup, Groups::PROCESSES, Types::OneOf.new(:auto, true, false), scope: :release, default: :auto,
        since: :coppice, example: "warmup false",
        doc: "Whether a mold prepares its heap before it forks, so that its children share more memory. It calls " \
             "Process.warmup from Ruby 3.3 on, and runs garbage collections on older Rubies. :auto means true."),

      Option.describe(:listen, Groups::LISTENERS, Types::Addresses.new, scope: :monitor, flag: nil,
        default: [Listeners::Address.parse(8080)].freeze, environment: "PORT",
        default_text: "`listen 8080`; in development `listen \"127.0.0.1:8080\"`",
        example: "listen 3000\nlisten \"/run/app.sock\", backlog: 64",
        doc: "An address to listen on; may be given several times. See [Addresses](#addresses) for its forms and " \
             "options. The flags -p, -o, -b and -l, and the environment variable PORT, replace the file's addresses. " \
             "An address that the file also names keeps its options, and a file that already listens on PORT is left " \
             "as it is. In development -p and PORT mean 127.0.0.1 unless -o or -b names another host: `-b 0.0.0.0` " \
             "in a container."),
      Option.describe(:accept_order, Groups::LISTENERS, Types::OneOf.new(:kernel, :fair), scope: :monitor,
        default: :kernel, since: :coppice, example: "accept_order :fair",
        doc: "Which idle worker serves the next client. :kernel leaves the choice to Linux, which prefers the same " \
             "workers whenever they are idle: with little traffic the others stay cold, and small. :fair takes the " \
             "worker that has been idle longest, so that all workers get an equal share."),

      Option.describe(:timeout, Groups::TIMEOUTS, Types::Seconds.new, scope: :monitor, default: 20,
        example: "timeout 10, cleanup: 3",
        doc: "The soft limit of a request. After it the worker calls after_worker_timeout on a second thread, and " \
             "exits. After `cleanup:` more seconds (default: 2) the monitor kills the worker: the hard limit. A " \
             "single request gets more time by `env[\"coppice.timeout\"]&.extend_deadline(10)`, and less by a " \
             "negative number."),
      Option.describe(:timeout_cleanup, Groups::TIMEOUTS, Types::Seconds.new, scope: :monitor, default: 2,
        since: :coppice,
        doc: "Time between the soft limit and the hard limit of a request: the same as `cleanup:` of timeout."),
      Option.describe(:shutdown_delay, Groups::TIMEOUTS, Types::Seconds.new(minimum: 0), scope: :monitor, default: 0,
        since: :coppice, example: "shutdown_delay 5",
        doc: "Time for which the server continues to serve after TERM, QUIT or HUP. Meanwhile " \
             "`Coppice::Info.shutting_down?` is true, so that the health check fails and the proxy sends its clients " \
             "elsewhere. Then the server stops accepting connections and drains its listen queues."),
      Option.describe(:timeout_signal, Groups::TIMEOUTS, Types::SignalName.new, scope: :monitor, default: :KILL,
        example: "timeout_signal { |pid| :ABRT }",
        doc: "The signal that the monitor sends to a process that is past its hard limit. A name, or a block that " \
             "takes the pid and returns a name."),
      Option.describe(:client_header_timeout, Groups::TIMEOUTS, Types::Seconds.new, scope: :monitor, default: 15,
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
        Types::Optional.new(Types::Whole.new(minimum: 1, bytes: true)), scope: :release, default: 4096,
        since: :coppice, example: "client_min_rate nil",
        doc: "Minimum number of body bytes that a client must send or read in each second of waiting for it. A " \
             "slower client that never pauses could occupy its worker for hours. The limit applies after " \
             "`client_body_timeout` or `client_write_timeout` seconds; nil means no limit. Bytes that are still in " \
             "the server's send buffer do not count as read."),

      Option.describe(:refork_after, Groups::REFORKING, Types::Optional.new(Types::RequestCounts.new), scope: :monitor,
        default_text: "nil: only on request (USR2)", example: "refork_after [50, 100, 1000]",
        doc: "Number of requests that one worker serves before the next generation starts. The list has one count " \
             "for each generation, and the last one repeats. With false as the last element, that generation is the " \
             "final one. `:auto` starts a generation when the memory that it saves is worth more than the work that " \
             "it costs (docs/memory.md)."),
      Option.describe(:refork_max_unavailable, Groups::REFORKING, Types::Optional.new(Types::Whole.new(minimum: 1)),
        scope: :monitor, default_text: "0 with refork_surge, else a tenth of the workers, rounded up",
        example: "refork_max_unavailable 5",
        doc: "Maximum number of workers that may be missing at the same time during a rollout."),
      Option.describe(:refork_surge, Groups::REFORKING, Types::WorkerShare.new, scope: :monitor, default: "10%",
        since: :coppice, example: "refork_surge 2",
        doc: "Maximum number of workers beyond `worker_processes` during a rollout. Each replacement is ready before " \
             "the worker that it replaces exits, so that capacity does not drop. Extra workers have the numbers from " \
             "`worker_processes` on. A number, or a share, rounded up; 0 saves their memory."),
      Option.describe(:refork_backoff, Groups::REFORKING, Types::Seconds.new(minimum: 0), scope: :monitor, default: 10,
        since: :coppice, doc: "Time to wait after a failed refork before the next attempt."),

      # The monitor passes both to a cold mold in its environment: Ruby and the C library read them before any file.
      Option.describe(:gc_profile, Groups::MEMORY, Types::GcProfile.new, scope: :monitor, default: :fitted,
        since: :coppice, example: "gc_profile \"RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO\" => 0.1",
        doc: "The parameters of Ruby's garbage collector, which Ruby reads when the application boots. :fitted takes " \
             "the ones in config/coppice.gc, which `coppice profile` writes; without that file the ones that " \
             "warm_up_requests measure, and otherwise moderate defaults. :ruby keeps Ruby's own parameters. A " \
             "variable that is set in the environment is left as it is."),
      Option.describe(:allocator, Groups::MEMORY, Types::OneOf.new(:auto, :system, :jemalloc), scope: :monitor,
        default: :auto, since: :coppice, example: "allocator :system",
        doc: "The malloc implementation of the application's processes. :auto takes jemalloc when it is installed " \
             "and LD_PRELOAD is not set; :system takes the C library's."),
      Option.describe(:jit, Groups::MEMORY, Types::Optional.new(Types::OneOf.new(:lead, :all, :off)), scope: :release,
        default_text: "nil: as Ruby and the application have it", since: :coppice, example: "jit :lead",
        doc: "Which processes compile with YJIT, from Ruby 3.3 on. With :all every process compiles from the loading " \
             "of the application on. With :lead only the lead worker compiles, until it is promoted, so that the " \
             "other workers spend neither time nor memory on code that they soon inherit. :off leaves YJIT off, " \
             "unless the application turns it on by itself, as Rails does."),
      # The monitor only asks whether there are any.
      Option.describe(:warm_up_requests, Groups::MEMORY, Types::Optional.new(Types::Paths.new), scope: :release,
        since: :coppice, default_text: "nil: the first clients warm the workers",
        example: "warm_up_requests \"/\", \"/products?page=2\"",
        doc: "Paths that the first worker of a cold mold rehearses with GET before the server accepts clients. That " \
             "worker is then promoted, so that no worker that serves is cold. The list is repeated for five seconds, " \
             "at most 40 times. Each worker that is forked later rehearses the first path once before it is ready. " \
             "`env[\"coppice.warm_up\"]` is true in these requests. A failure is logged, and the server starts all " \
             "the same. A block is called with a client: see on_warm_up."),
      Option.describe(:worker_memory_limit, Groups::MEMORY, Types::Optional.new(Types::MemoryLimit.new),
        scope: :monitor, default_text: "nil: no limit", since: :coppice, example: "worker_memory_limit \"20%\"",
        doc: "Memory use above which a worker is replaced by a fresh fork, between two requests. Bytes, or a share " \
             "of the memory that the server may use: the cgroup's limit, or the machine's memory. PSS counts, in " \
             "which a page that several processes share is divided among them; `{ private: \"10%\" }` counts private " \
             "pages only. Workers measure themselves at most once a second. The limit of a worker is lowered by up " \
             "to a tenth, so that not all workers are replaced at once."),
      Option.describe(:worker_max_requests, Groups::MEMORY, Types::Optional.new(Types::Whole.new(minimum: 1)),
        scope: :monitor, default_text: "nil: no limit", since: :coppice, example: "worker_max_requests 100_000",
        doc: "Approximate number of requests after which a worker is replaced by a fresh fork. Checked once a " \
             "second, and lowered by up to a tenth for each worker, so that not all workers are replaced at once."),
      Option.describe(:worker_max_age, Groups::MEMORY, Types::Optional.new(Types::Seconds.new(minimum: 1)),
        scope: :monitor, default_text: "nil: no limit", since: :coppice, example: "worker_max_age 24 * 60 * 60",
        doc: "Age at which a worker is replaced by a fresh fork. Lowered by up to a tenth for each worker, so that " \
             "not all workers are replaced at once."),
      Option.describe(:cold_boot_after_growth, Groups::MEMORY, Types::Optional.new(Types::Percentage.new),
        scope: :monitor, default_text: "nil: never", since: :coppice, example: "cold_boot_after_growth \"50%\"",
        doc: "Growth of the molds, from generation to generation, after which a new mold boots the application " \
             "afresh. The copies of a worker inherit what it retains, so reforking hands on a memory leak; a warning " \
             "is logged in any case. The new mold boots beside the one that serves, which needs the memory of both " \
             "for a while, and takes over when its first worker is ready."),

      Option.describe(:rewindable_input, Groups::REQUESTS, Types::Boolean.new, scope: :release, default: true,
        example: "rewindable_input false",
        doc: "Whether `env[\"rack.input\"]` can be rewound. Rack 3 does not require it: false saves memory and disk " \
             "writes for uploads."),
      Option.describe(:client_body_buffer_size, Groups::REQUESTS, Types::Whole.new(minimum: 0, bytes: true),
        scope: :release, default: 112 * 1024, example: "client_body_buffer_size 512 * 1024",
        doc: "Maximum size of a rewindable body in memory; a larger body goes to a temporary file."),
      Option.describe(:early_hints, Groups::REQUESTS, Types::Boolean.new, scope: :release, default: false,
        example: "early_hints true",
        doc: "Whether the application may send 103 Early Hints with `env[\"rack.early_hints\"]`."),
      Option.describe(:check_client_connection, Groups::REQUESTS, Types::Boolean.new, scope: :release, default: false,
        example: "check_client_connection true",
        doc: "Whether to check that the client is still connected before the application is called; if it is not, " \
             "the request is dropped. Cannot be combined with the listen option tcp_nopush."),
      Option.describe(:trusted_proxies, Groups::REQUESTS, Types::Optional.new(Types::Networks.new), scope: :release,
        default_text: "loopback and the private networks", since: :coppice,
        example: "trusted_proxies [\"127.0.0.1\", \"10.0.0.0/8\"]",
        doc: "The proxies whose X-Forwarded-Proto and X-Forwarded-Ssl headers are trusted when they say https. " \
             "Clients of a Unix socket are always trusted. An empty list trusts no others."),
      Option.describe(:allow_underscore_headers, Groups::REQUESTS, Types::Boolean.new, scope: :release, default: false,
        since: :coppice, example: "allow_underscore_headers true",
        doc: "Whether header names may contain an underscore. The Rack environment does not distinguish such a name " \
             "from the same name with a dash, so a client could forge a header that a proxy sets."),

      Option.describe(:max_request_line_bytes, Groups::LIMITS, Types::Whole.new(minimum: 64, bytes: true),
        scope: :release, default: 15 * 1024, since: :coppice,
        doc: "Maximum size of the request line; a longer one is answered with 414."),
      Option.describe(:max_header_bytes, Groups::LIMITS, Types::Whole.new(minimum: 256, bytes: true), scope: :release,
        default: 112 * 1024, since: :coppice,
        doc: "Maximum size of the head of a request; a larger one is answered with 431."),
      Option.describe(:max_header_count, Groups::LIMITS, Types::Whole.new(minimum: 1), scope: :release, default: 128,
        since: :coppice, doc: "Maximum number of headers of a request; more are answered with 431."),
      Option.describe(:max_body_bytes, Groups::LIMITS, Types::Optional.new(Types::Whole.new(minimum: 0, bytes: true)),
        scope: :release, default_text: "nil: no limit", since: :coppice, example: "max_body_bytes 10 * 1024 * 1024",
        doc: "Maximum size of the body of a request; a larger one is answered with 413."),

      # Each process reads the logger from the file: an object does not travel from the monitor to a mold.
      Option.describe(:logger, Groups::LOGGING,
        Types::Optional.new(Types::RespondsTo.new(:debug, :info, :warn, :error, :fatal)), scope: :release,
        default_text: "one line for each event, on standard error", example: "logger Logger.new(\"log/server.log\")",
        doc: "The server's logger: an object like Ruby's Logger."),
      Option.describe(:log_level, Groups::LOGGING, Types::OneOf.new(:debug, :info, :warn, :error, :fatal),
        scope: :monitor, default: :info, since: :coppice, example: "log_level :debug",
        doc: "Minimum severity of the lines that are logged. :debug adds a line for each request that is refused or " \
             "that its client gave up, and for each process that becomes ready or exits. A custom logger has its own " \
             "level."),
      Option.describe(:log_format, Groups::LOGGING, Types::OneOf.new(:text, :json), scope: :monitor, default: :text,
        since: :coppice, example: "log_format :json",
        doc: "Format of the log lines, unless a custom logger is set.")
    ])
  end
end
