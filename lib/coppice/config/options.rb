# frozen_string_literal: true

require "coppice/config/catalogue"
require "coppice/config/types"
require "coppice/config/types/addresses"
require "coppice/config/types/process"
require "coppice/config/types/amounts"
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

    # The catalogue of options: the only place where an option is described. The words of the config file, the flags,
    # the readers of Settings, the help and docs/configuration.md are all made from this table.
    OPTIONS = Catalogue.new([
      Option.describe(:worker_processes, Groups::PROCESSES, Types::WorkerCount.new, default: 1, flag: "--workers",
        environment: "WEB_CONCURRENCY", example: "worker_processes 16",
        doc: "How many workers serve. Each serves one client at a time. 0 means one process that does everything, " \
             "without forking: for development and debugging. `:auto` means 1.5 for each processor that the server may use, counted by " \
             "affinity and the cgroup's quota, rounded up, and at least 2; fewer where the mold and as many workers of half its PSS " \
             "would take more than 80 % of the memory, which is the cgroup's limit or the machine's. It is decided once, when the " \
             "application has been loaded, and the log says why."),
      Option.describe(:spawn_timeout, Groups::PROCESSES, Types::Seconds.new, default: 10,
        doc: "How long a forked worker or mold may take until it is ready. One that takes longer is stopped and " \
             "replaced: a safeguard against deadlocks that a fork can leave behind. A mold has three times as long: it readies its " \
             "heap at a lower priority than workers serve."),
      Option.describe(:boot_timeout, Groups::PROCESSES, Types::Seconds.new, default: 300, since: :coppice,
        doc: "How long a cold mold may take to load the application. Forks have their own limit, spawn_timeout."),
      Option.describe(:max_consecutive_spawn_errors, Groups::PROCESSES, Types::Optional.new(Types::Whole.new(minimum: 1)),
        default_text: "nil: never give up", example: "max_consecutive_spawn_errors 5",
        doc: "After how many workers in a row that did not become ready the server gives up and exits with status 1. " \
             "A worker that does become ready starts the count anew."),
      Option.describe(:setpgid, Groups::PROCESSES, Types::Boolean.new, default: true, example: "setpgid false",
        doc: "Whether each child process leads a process group of its own. Use false to read from the terminal in a " \
             "worker, for instance in a debugger."),
      Option.describe(:warmup, Groups::PROCESSES, Types::OneOf.new(:auto, true, false), default: :auto, since: :coppice,
        example: "warmup false",
        doc: "Whether a mold readies its heap before it forks, so that its children share more memory: with Process.warmup from " \
             "Ruby 3.3 on, with garbage collections before. :auto leaves it to the server, which does."),

      Option.describe(:listen, Groups::LISTENERS, Types::Addresses.new, flag: nil,
        default: [Listeners::Address.parse(8080)].freeze, environment: "PORT",
        default_text: "`listen 8080`; in development `listen \"127.0.0.1:8080\"`",
        example: "listen 3000\nlisten \"/run/app.sock\", backlog: 64",
        doc: "An address to listen on; may be given several times. See [Addresses](#addresses) for its forms and " \
             "options. The flags -p, -o, -b and -l, and the environment variable PORT, replace the file's addresses; an " \
             "address that the file names too keeps its options, and a file that already listens on PORT is left as it is. " \
             "In development -p and PORT mean 127.0.0.1 where no -o or -b names another host: `-b 0.0.0.0` in a container."),
      Option.describe(:accept_order, Groups::LISTENERS, Types::OneOf.new(:kernel, :fair), default: :kernel, since: :coppice,
        example: "accept_order :fair",
        doc: "Which idle worker serves the next client. :kernel leaves it to Linux, which takes the same ones whenever they are " \
             "free: with little traffic the others stay cold, and small. :fair takes the one that has been idle longest, so that all " \
             "get an equal share."),

      Option.describe(:timeout, Groups::TIMEOUTS, Types::Seconds.new, default: 20, example: "timeout 10, cleanup: 3",
        doc: "The soft limit of a request. When it has passed, the worker calls after_worker_timeout on a second thread, and " \
             "then exits. After `cleanup:` more seconds (2 when it is not given) the monitor ends the worker: the hard limit. " \
             "A single request gets more time by `env[\"coppice.timeout\"]&.extend_deadline(10)`, and less by a negative number."),
      Option.describe(:timeout_cleanup, Groups::TIMEOUTS, Types::Seconds.new, default: 2, since: :coppice,
        doc: "How long after the soft limit the hard limit follows: the same as `cleanup:` of timeout."),
      Option.describe(:shutdown_delay, Groups::TIMEOUTS, Types::Seconds.new(minimum: 0), default: 0, since: :coppice,
        example: "shutdown_delay 5",
        doc: "How long the server goes on serving after TERM, QUIT or HUP, while `Coppice::Info.shutting_down?` is true already: for the " \
             "health check to fail and the proxy to send its clients elsewhere. Then it refuses new ones and answers who waits."),
      Option.describe(:timeout_signal, Groups::TIMEOUTS, Types::SignalName.new, default: :KILL,
        example: "timeout_signal { |pid| :ABRT }",
        doc: "The signal that the monitor sends to a process that is past its hard limit: a name, or a block that takes " \
             "the pid and returns a name."),
      Option.describe(:client_header_timeout, Groups::TIMEOUTS, Types::Seconds.new, default: 15, since: :coppice,
        doc: "How long a client may take to send the head of its request. Then it gets 408, and the worker is free again."),
      Option.describe(:client_body_timeout, Groups::TIMEOUTS, Types::Seconds.new, default: 15, since: :coppice,
        doc: "How long a client may pause while it sends the body of its request."),
      Option.describe(:client_write_timeout, Groups::TIMEOUTS, Types::Seconds.new, default: 15, since: :coppice,
        doc: "How long a client may pause while it reads the answer. Time spent waiting for a client does not count against `timeout`."),
      Option.describe(:client_min_rate, Groups::TIMEOUTS, Types::Optional.new(Types::Whole.new(minimum: 1, bytes: true)), default: 4096,
        since: :coppice, example: "client_min_rate nil",
        doc: "How many bytes of a body a client must at least send, or read, in each second of waiting for it. One that is slower " \
             "without ever pausing would hold its worker for hours. `client_body_timeout` or `client_write_timeout` seconds are " \
             "granted beforehand; nil bears any client. What still lies in the server's send buffer does not count as read."),

      Option.describe(:refork_after, Groups::REFORKING, Types::Optional.new(Types::RequestCounts.new),
        default_text: "nil: never by itself", example: "refork_after [50, 100, 1000]",
        doc: "After how many requests of one worker a new generation begins: one count for each generation, of which " \
             "the last repeats. With false as the last element, that generation is the final one. `:auto` begins one when the " \
             "memory it wins back is worth more than the work it costs (docs/memory.md)."),
      Option.describe(:refork_max_unavailable, Groups::REFORKING, Types::Optional.new(Types::Whole.new(minimum: 1)),
        default_text: "0 with refork_surge, else a tenth of the workers, rounded up", example: "refork_max_unavailable 5",
        doc: "How many workers may be away at the same time while a new generation replaces the old one."),
      Option.describe(:refork_surge, Groups::REFORKING, Types::WorkerShare.new, default: "10%", since: :coppice, example: "refork_surge 2",
        doc: "How many workers beyond `worker_processes` there may be while a new generation replaces the old one. Successors are " \
             "ready before anybody leaves, so that capacity does not dip; they have the numbers from `worker_processes` on. A number, " \
             "or a share, rounded up; 0 saves their memory."),
      Option.describe(:refork_backoff, Groups::REFORKING, Types::Seconds.new(minimum: 0), default: 10, since: :coppice,
        doc: "How long to wait after a refork that failed before the next is tried."),

      Option.describe(:gc_profile, Groups::MEMORY, Types::GcProfile.new, default: :fitted, since: :coppice,
        example: "gc_profile \"RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO\" => 0.1",
        doc: "The parameters of Ruby's garbage collector, which it reads when the application boots. :fitted takes those of " \
             "config/coppice.gc, which `coppice profile` writes; without that file those that warm_up_requests measure, and without " \
             "them a middle course. :ruby leaves Ruby its own. A variable that is set in the environment is left as it is."),
      Option.describe(:allocator, Groups::MEMORY, Types::OneOf.new(:auto, :system, :jemalloc), default: :auto, since: :coppice,
        example: "allocator :system",
        doc: "Which malloc the application runs with. :auto takes jemalloc where it is installed and nothing else is preloaded " \
             "already, :system the C library's own."),
      Option.describe(:jit, Groups::MEMORY, Types::Optional.new(Types::OneOf.new(:lead, :all, :off)),
        default_text: "nil: as Ruby and the application have it", since: :coppice, example: "jit :lead",
        doc: "Which processes compile with YJIT, from Ruby 3.3 on. :all do, since the application was loaded; with :lead only the " \
             "lead worker does until it is promoted, so that others neither spend time nor memory on code that they inherit soon. " \
             ":off leaves it off. An application that turns it on by itself, as Rails does, is not kept from it."),
      Option.describe(:warm_up_requests, Groups::MEMORY, Types::Optional.new(Types::Paths.new), since: :coppice,
        default_text: "nil: the first clients warm the workers", example: "warm_up_requests \"/\", \"/products?page=2\"",
        doc: "Paths that are asked for, with GET, in the first worker of a cold mold, before any client is. That worker is promoted " \
             "at once, so that none that serves is ever cold. The list is repeated for five seconds, at most 40 times. " \
             "Each worker that is forked afterwards asks itself for the first of them once before it is ready. " \
             "`env[\"coppice.warm_up\"]` is true meanwhile; what fails is logged, and the server starts all the same. A block is " \
             "given a client: see on_warm_up."),
      Option.describe(:worker_memory_limit, Groups::MEMORY, Types::Optional.new(Types::MemoryLimit.new),
        default_text: "nil: no limit", since: :coppice, example: "worker_memory_limit \"20%\"",
        doc: "How large a worker may become before a fresh fork takes its place, between two requests. Bytes, or a share of the " \
             "memory that the server may use: the cgroup's limit, or the machine's memory. PSS counts, in which a page that " \
             "several processes share is divided among them; `{ private: \"10%\" }` counts private pages only. Workers measure " \
             "themselves, at least a second apart, and some replace themselves up to a tenth earlier, so that not all do at once."),
      Option.describe(:worker_max_requests, Groups::MEMORY, Types::Optional.new(Types::Whole.new(minimum: 1)),
        default_text: "nil: no limit", since: :coppice, example: "worker_max_requests 100_000",
        doc: "After about how many requests a fresh fork takes a worker's place. Looked at once a second; up to a tenth earlier, " \
             "so that not all are replaced at once."),
      Option.describe(:worker_max_age, Groups::MEMORY, Types::Optional.new(Types::Seconds.new(minimum: 1)),
        default_text: "nil: no limit", since: :coppice, example: "worker_max_age 24 * 60 * 60",
        doc: "After how long a fresh fork takes a worker's place. Up to a tenth earlier, so that not all are replaced at once."),
      Option.describe(:cold_boot_after_growth, Groups::MEMORY, Types::Optional.new(Types::Percentage.new),
        default_text: "nil: never", since: :coppice, example: "cold_boot_after_growth \"50%\"",
        doc: "By how much the molds may grow from generation to generation until a new one boots the application afresh. What a " \
             "worker retains for ever its copies inherit, so that reforking hands on a leak; the log warns of one in any case. The " \
             "fresh mold boots beside the one that serves, which needs the memory of both for a while, and takes over when its " \
             "first worker is ready."),

      Option.describe(:rewindable_input, Groups::REQUESTS, Types::Boolean.new, default: true, example: "rewindable_input false",
        doc: "Whether `env[\"rack.input\"]` can be rewound. Rack 3 does not ask for it: false saves memory and disk " \
             "writes for uploads."),
      Option.describe(:client_body_buffer_size, Groups::REQUESTS, Types::Whole.new(minimum: 0, bytes: true), default: 112 * 1024,
        example: "client_body_buffer_size 512 * 1024",
        doc: "How much of a rewindable body is kept in memory; a longer one goes to a temporary file."),
      Option.describe(:early_hints, Groups::REQUESTS, Types::Boolean.new, default: false, example: "early_hints true",
        doc: "Whether the application may send 103 Early Hints with `env[\"rack.early_hints\"]`."),
      Option.describe(:check_client_connection, Groups::REQUESTS, Types::Boolean.new, default: false,
        example: "check_client_connection true",
        doc: "Whether to look, before the application is called, if the client has already gone away; the request is then " \
             "dropped. Cannot be combined with the listen option tcp_nopush."),
      Option.describe(:trusted_proxies, Groups::REQUESTS, Types::Optional.new(Types::Networks.new),
        default_text: "loopback and the private networks", since: :coppice,
        example: "trusted_proxies [\"127.0.0.1\", \"10.0.0.0/8\"]",
        doc: "The proxies whose X-Forwarded-Proto and X-Forwarded-Ssl headers are believed when they say https. Those on a " \
             "Unix socket always are. An empty list trusts no others."),
      Option.describe(:allow_underscore_headers, Groups::REQUESTS, Types::Boolean.new, default: false, since: :coppice,
        example: "allow_underscore_headers true",
        doc: "Whether header names may contain an underscore. In the Rack environment such a name cannot be told from " \
             "the one with a dash, so that a client could forge a header that a proxy sets."),

      Option.describe(:max_request_line_bytes, Groups::LIMITS, Types::Whole.new(minimum: 64, bytes: true), default: 15 * 1024,
        since: :coppice, doc: "The longest request line; a longer one is answered with 414."),
      Option.describe(:max_header_bytes, Groups::LIMITS, Types::Whole.new(minimum: 256, bytes: true), default: 112 * 1024,
        since: :coppice, doc: "The longest head of a request; a longer one is answered with 431."),
      Option.describe(:max_header_count, Groups::LIMITS, Types::Whole.new(minimum: 1), default: 128, since: :coppice,
        doc: "How many headers a request may have; more are answered with 431."),
      Option.describe(:max_body_bytes, Groups::LIMITS, Types::Optional.new(Types::Whole.new(minimum: 0, bytes: true)),
        default_text: "nil: no limit", since: :coppice, example: "max_body_bytes 10 * 1024 * 1024",
        doc: "The longest body of a request; a longer one is answered with 413."),

      Option.describe(:logger, Groups::LOGGING, Types::Optional.new(Types::RespondsTo.new(:debug, :info, :warn, :error, :fatal)),
        default_text: "one line for each event, on standard error", example: "logger Logger.new(\"log/server.log\")",
        doc: "Where the server logs to: an object like Ruby's Logger."),
      Option.describe(:log_level, Groups::LOGGING, Types::OneOf.new(:debug, :info, :warn, :error, :fatal), default: :info, since: :coppice,
        example: "log_level :debug",
        doc: "The least severe lines that are logged. :debug tells of each request that is refused or given up by its client, and of " \
             "each process that gets ready or leaves. A logger of your own has its own level."),
      Option.describe(:log_format, Groups::LOGGING, Types::OneOf.new(:text, :json), default: :text, since: :coppice,
        example: "log_format :json",
        doc: "The form of a line in the log, when no logger is given.")
    ])
  end
end
