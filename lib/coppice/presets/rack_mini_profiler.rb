# frozen_string_literal: true

# Of its stores, those in files and in memory have a thread that deletes what has expired.
Coppice::Presets.define(:rack_mini_profiler, gem: "rack-mini-profiler", constant: "Rack::MiniProfiler",
  verdict: :advice,
  used: -> { Rack::MiniProfiler.config.storage_instance.respond_to?(:cleanup_cache) },
  restarts: %w[rack-mini-profiler],
  advice: "`after_mold_fork`: `Rack::MiniProfiler.config.storage_instance.cleanup_cache`, or a store in Redis or " \
          "memcached",
  why: "The thread that deletes results after a day does not exist in a copy: they stay in the folder " \
       "tmp/miniprofiler, or in memory.",
  source: "lib/mini_profiler/storage/file_store.rb, lib/mini_profiler/storage/memory_store.rb")
