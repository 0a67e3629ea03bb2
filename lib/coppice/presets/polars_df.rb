# frozen_string_literal: true

require "coppice/fork_safety/native_threads"

# They start with the first query, or whatever else is done in parallel, and stay.
used = -> { Coppice::ForkSafety::NativeThreads.any?("polars-") }

Coppice::Presets.define(:polars_df, gem: "polars-df", constant: "Polars::DataFrame", tested: true,
  verdict: :unsafe, used: used, calls: { unsafe: used },
  does: "never promotes a worker that has executed a query",
  advice: "execute no query while the application boots. If every worker executes queries, reforks stop: do it in " \
          "jobs, or in a `service`. No setting helps, `POLARS_MAX_THREADS=1` neither",
  why: "Its threads do not exist in a copy, but count as running: the first query hangs.",
  source: "tried with 0.27.1")
