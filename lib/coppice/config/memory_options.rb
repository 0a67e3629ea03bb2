# frozen_string_literal: true

require "coppice/config/groups"
require "coppice/config/option"
require "coppice/config/types"
require "coppice/config/types/addresses"
require "coppice/config/types/amounts"
require "coppice/config/types/process"

module Coppice
  module Config
    # The part of the catalogue of options that is about memory: the heap with which processes begin, what they do about
    # it while they are idle, and when one that has grown is replaced.
    MEMORY_OPTIONS = [
      Option.describe(:gc_profile, Groups::MEMORY, Types::GcProfile.new, scope: :release, default: :fitted,
        since: :coppice, example: <<~RUBY.chomp,
          gc_profile "RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO" => 0.05,
                     "RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO" => 0.1,
                     "RUBY_GC_HEAP_FREE_SLOTS_MAX_RATIO" => 0.2
        RUBY
        doc: "The parameters of Ruby's garbage collector, which Ruby reads when the application boots. :fitted takes " \
             "the ones in config/coppice.gc, which `coppice profile` writes; without that file the ones that fit " \
             "what this server or the last one has measured (state_directory), and otherwise moderate defaults. " \
             "With `wait: true` a server that knows no measurement boots the application a second time, after " \
             "warm_up_requests have measured it, before it serves. :ruby keeps Ruby's own parameters. A variable " \
             "that is set in the environment is left as it is."),
      Option.describe(:gc_profile_wait, Groups::MEMORY, Types::Boolean.new, scope: :release, default: false,
        since: :coppice, example: "gc_profile :fitted, wait: true", doc: "The `wait:` of gc_profile."),
      Option.describe(:memory_price, Groups::MEMORY, Types::Price.new, scope: :server, default: 4,
        since: :coppice, example: "memory_price 0.5",
        doc: "What memory is worth: the hours of one core's CPU time that cost as much as one GiB for an hour. " \
             "gc_profile :fitted and refork_after :auto save memory as long as the CPU time that it takes is worth " \
             "less. List prices of clouds are 0.1 to 0.2 (docs/memory.md, The price of memory)."),
      Option.describe(:state_directory, Groups::MEMORY, Types::Optional.new(Types::StateDirectory.new), scope: :server,
        default_text: "nil: `tmp` in the application's directory, that of the new release after a roll",
        since: :coppice, example: "state_directory \"/var/lib/my_app\"",
        doc: "Where the server keeps what it has measured and learned for its next start (docs/memory.md, What a " \
             "server keeps). One directory for each application, which only the server's user and root can write " \
             "to. If a deployment replaces `tmp`, name one that stays. If it cannot be written to, nothing is kept, " \
             "and a line of the log says so. false keeps nothing."),
      Option.describe(:allocator, Groups::MEMORY, Types::OneOf.new(:auto, :system, :jemalloc), scope: :release,
        default: :auto, since: :coppice, example: "allocator :system",
        doc: "The malloc implementation of the application's processes. :auto takes jemalloc when it is installed " \
             "and LD_PRELOAD is not set, or empty; :system takes the C library's. A preloaded jemalloc gets " \
             "one arena and returns free memory after a second, unless MALLOC_CONF is set (docs/memory.md, The " \
             "allocator)."),
      Option.describe(:jit, Groups::MEMORY, Types::Optional.new(Types::OneOf.new(:lead, :all, :off)), scope: :release,
        default_text: "nil: as Ruby and the application have it", since: :coppice, example: "jit :lead",
        doc: "Which processes compile with YJIT, from Ruby 3.3 on, if Ruby was built with it (Debian's was not). " \
             "With :all every process compiles from the loading of the application on. With :lead one worker " \
             "compiles until it is promoted: the one that serves warm_up_requests, or else worker 0. So the other " \
             "workers spend neither time nor memory on code that they soon inherit. :off leaves YJIT off, unless " \
             "the application turns it on by itself, as Rails does."),
      # The monitor only asks whether there are any.
      Option.describe(:warm_up_requests, Groups::MEMORY, Types::Optional.new(Types::Paths.new), scope: :release,
        since: :coppice, default_text: "nil: the first clients warm the workers",
        example: "warm_up_requests \"/\", \"/products?page=2\"",
        doc: "Paths that a worker of a cold mold, which gets no clients, requests from itself with GET. That worker " \
             "is then promoted, and its copies serve; until then one cold worker does, or more if requests wait for " \
             "a second. The list is repeated for five seconds, at most 40 times. Each worker that is forked later " \
             "makes one of these requests to itself before it is ready; the first one of a new release usually makes " \
             "each of them once. " \
             "`env[\"coppice.warm_up\"]` is true in these requests. A failure is logged, and the server starts all " \
             "the same. A block is called with a client: see on_warm_up. :learned stands for the paths that clients " \
             "request most; read docs/memory.md, Learned paths, before you use it. With `wait: true` no client can " \
             "connect to a new server before the warm-up is over: where another one serves meanwhile."),
      Option.describe(:warm_up_wait, Groups::MEMORY, Types::Boolean.new, scope: :release, default: false,
        since: :coppice, example: "warm_up_requests \"/\", :learned, wait: true",
        doc: "The `wait:` of warm_up_requests."),
      Option.describe(:out_of_band, Groups::MEMORY, Types::Optional.new(Types::OneOf.new(:gc)), scope: :release,
        default_text: "nil: nothing", since: :coppice, example: "out_of_band :gc",
        doc: "Work that workers do between requests when no client waits. `:gc` keeps major garbage collections out " \
             "of requests, and costs memory or CPU time (docs/memory.md). A block does work of your own: see " \
             "on_out_of_band. A tenth of the workers, rounded up, work at the same time; clients get to the others."),
      Option.describe(:worker_memory_limit, Groups::MEMORY, Types::Optional.new(Types::MemoryLimit.new),
        scope: :release, default_text: "nil: no limit", since: :coppice, example: "worker_memory_limit \"20%\"",
        doc: "Memory use above which a worker is replaced by a fresh fork, between two requests. Bytes, a size such " \
             "as \"512M\", or a share of the memory that the server may use: the cgroup's limit, or the machine's " \
             "memory. PSS counts, in which a page that several processes share is divided among them; " \
             "`{ private: \"10%\" }` counts private pages only. Workers measure themselves at most once a second. " \
             "The limit of a worker is lowered by up to a tenth, so that not all workers are replaced at once."),
      Option.describe(:worker_max_requests, Groups::MEMORY, Types::Optional.new(Types::Whole.new(minimum: 1)),
        scope: :release, default_text: "nil: no limit", since: :coppice, example: "worker_max_requests 100_000",
        doc: "Approximate number of requests after which a worker is replaced by a fresh fork. Checked once a " \
             "second, and lowered by up to a tenth for each worker, so that not all workers are replaced at once."),
      Option.describe(:worker_max_age, Groups::MEMORY, Types::Optional.new(Types::Seconds.new(minimum: 1)),
        scope: :release, default_text: "nil: no limit", since: :coppice, example: "worker_max_age 24 * 60 * 60",
        doc: "Age at which a worker is replaced by a fresh fork. Lowered by up to a tenth for each worker, so that " \
             "not all workers are replaced at once."),
      Option.describe(:cold_boot_after_growth, Groups::MEMORY, Types::Optional.new(Types::Percentage.new),
        scope: :release, default_text: "nil: never", since: :coppice, example: "cold_boot_after_growth \"50%\"",
        doc: "Growth of the molds, from generation to generation, after which a new mold boots the application " \
             "afresh. The copies of a worker inherit its leaked memory, so each generation is larger. The growth " \
             "counts only while it looks like a leak: at least four generations in a row are larger than the one " \
             "before, by a tenth and 8 MiB in total or more, and the growth does not slow down. The ten minutes " \
             "after a boot do not count. A warning is then logged even without this option. The new mold boots " \
             "beside the one that serves, so the server needs memory for both for a while. The new mold takes over " \
             "when its first worker is ready. See docs/memory.md.")
    ].freeze
  end
end
