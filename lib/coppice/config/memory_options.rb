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
        doc: "Parameters of Ruby's garbage collector (docs/memory.md#garbage-collector-profile). `:fitted` takes " \
             "config/coppice.gc from `coppice profile`, else what was last measured, else moderate defaults. `wait: " \
             "true` boots an unmeasured server twice before it serves. `:ruby` changes none. Environment variables " \
             "win."),
      Option.describe(:gc_profile_wait, Groups::MEMORY, Types::Boolean.new, scope: :release, default: false,
        since: :coppice, example: "gc_profile :fitted, wait: true", doc: "The `wait:` of `gc_profile`."),
      Option.describe(:memory_price, Groups::MEMORY, Types::Price.new, scope: :server, default: 4,
        since: :coppice, example: "memory_price 0.5",
        doc: "What a GiB for an hour is worth, in hours of one core, to `gc_profile :fitted` and `refork_after " \
             ":auto` (docs/memory.md#the-price-of-memory)."),
      Option.describe(:state_directory, Groups::MEMORY, Types::Optional.new(Types::StateDirectory.new), scope: :server,
        default_text: "nil: `tmp` in the application's directory, that of the new release after a roll",
        since: :coppice, example: "state_directory \"/var/lib/my_app\"",
        doc: "Where the server keeps what it has measured for its next start (docs/memory.md#what-a-server-keeps). " \
             "Give each application its own, which survives deployments and only its user can write to. false keeps " \
             "nothing."),
      Option.describe(:allocator, Groups::MEMORY, Types::OneOf.new(:auto, :system, :jemalloc), scope: :release,
        default: :auto, since: :coppice, example: "allocator :system",
        doc: "The malloc of the application's processes (docs/memory.md#the-allocator). `:auto` takes jemalloc if it " \
             "is installed and LD_PRELOAD is not set. `:system` takes the C library's."),
      Option.describe(:jit, Groups::MEMORY, Types::Optional.new(Types::OneOf.new(:lead, :all, :off)), scope: :release,
        default_text: "nil: as Ruby and the application have it", since: :coppice, example: "jit :lead",
        doc: "Which processes compile with YJIT (Ruby 3.3 or newer). `:lead` means one worker until its promotion; " \
             "the others inherit its code. `:off` does not stop an application that enables it, as Rails does."),
      Option.describe(:warm_up_requests, Groups::MEMORY, Types::Optional.new(Types::Paths.new), scope: :release,
        since: :coppice, default_text: "nil: the first clients warm the workers",
        example: "warm_up_requests \"/\", \"/products?page=2\"",
        doc: "Paths that the first worker of a cold mold requests from itself; its copies then serve " \
             "(docs/warm_start.md). Meanwhile one cold worker serves; `wait: true` keeps clients out instead. A " \
             "failure is logged and stops nothing. A block gets a client (`on_warm_up`). `:learned` adds what " \
             "clients request most: see docs/warm_start.md#learned-paths first."),
      Option.describe(:warm_up_wait, Groups::MEMORY, Types::Boolean.new, scope: :release, default: false,
        since: :coppice, example: "warm_up_requests \"/\", :learned, wait: true",
        doc: "The `wait:` of `warm_up_requests`."),
      Option.describe(:out_of_band, Groups::MEMORY, Types::Optional.new(Types::OneOf.new(:gc)), scope: :release,
        default_text: "nil: nothing", since: :coppice, example: "out_of_band :gc",
        doc: "Work while no client waits, in a tenth of the workers at once. `:gc` moves major collections out of " \
             "requests (docs/memory.md). A block is your own work (`on_out_of_band`)."),
      Option.describe(:worker_memory_limit, Groups::MEMORY, Types::Optional.new(Types::MemoryLimit.new),
        scope: :release, default_text: "nil: no limit", since: :coppice, example: "worker_memory_limit \"20%\"",
        doc: "PSS above which a worker is replaced by a fresh fork, between two requests; `{ private: \"10%\" }` " \
             "limits private memory. Each worker's limit is up to a tenth lower, so that they are not replaced at " \
             "once."),
      Option.describe(:worker_max_requests, Groups::MEMORY, Types::Optional.new(Types::Whole.new(minimum: 1)),
        scope: :release, default_text: "nil: no limit", since: :coppice, example: "worker_max_requests 100_000",
        doc: "Number of requests, less up to a tenth, after which a worker is replaced by a fresh fork."),
      Option.describe(:worker_max_age, Groups::MEMORY, Types::Optional.new(Types::Seconds.new(minimum: 1)),
        scope: :release, default_text: "nil: no limit", since: :coppice, example: "worker_max_age 24 * 60 * 60",
        doc: "Age, less up to a tenth, at which a worker is replaced by a fresh fork."),
      Option.describe(:cold_boot_after_growth, Groups::MEMORY, Types::Optional.new(Types::Percentage.new),
        scope: :release, default_text: "nil: never", since: :coppice, example: "cold_boot_after_growth \"50%\"",
        doc: "Growth of the molds over generations after which a new mold boots afresh: copies inherit leaks. Only " \
             "what looks like a leak counts, and is always logged (docs/memory.md#memory-leaks).")
    ].freeze
  end
end
