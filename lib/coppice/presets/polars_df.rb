# frozen_string_literal: true

require "coppice/fork_safety/native_threads"

# They start with the first query, or whatever else is done in parallel, and stay.
used = -> { Coppice::ForkSafety::NativeThreads.any?("polars-") }

Coppice::Presets.define(:polars_df, gem: "polars-df", constant: "Polars::DataFrame", tested: true,
  verdict: :unsafe, used: used, calls: { unsafe: used },
  does: "never promotes a worker that has executed a query",
  advice: "execute no query while the application boots. If all workers do, reforks stop: use jobs or a `service`. " \
          "`POLARS_MAX_THREADS=1` does not help",
  why: "Its threads count as running but do not survive a fork: the first query hangs.",
  source: "tried with 0.27.1")
