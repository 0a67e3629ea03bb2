# frozen_string_literal: true

# Of its stores, those in files and in memory have a thread that deletes what has expired. Nothing starts it again, so
# the fork audit reports it.
Coppice::Presets.define(:rack_mini_profiler, gem: "rack-mini-profiler", constant: "Rack::MiniProfiler",
  verdict: :advice, minor_threads: true,
  used: -> { Rack::MiniProfiler.config.storage_instance.respond_to?(:cleanup_cache) },
  advice: "keep its results in Redis or memcached: `Rack::MiniProfiler.config.storage`",
  why: "The thread that deletes old results does not survive a fork.",
  source: "lib/mini_profiler/storage/file_store.rb, lib/mini_profiler/storage/memory_store.rb")
