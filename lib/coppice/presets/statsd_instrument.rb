# frozen_string_literal: true

Coppice::Presets.define(:statsd_instrument, gem: "statsd-instrument", constant: "StatsD", versions: "4"..."5",
  tested: true, verdict: :acts, calls: { before: -> { StatsD.singleton_client.force_flush } },
  restarts: %w[statsd-instrument],
  flushed: %w[StatsD::Instrument::Aggregator StatsD::Instrument::BatchedSink],
  does: "calls `StatsD.singleton_client.force_flush` before a fork",
  advice: "nothing; `before_fork`: `force_flush` for other clients that aggregate",
  older: "nothing without aggregation; with it `before_fork`: `StatsD.singleton_client.force_flush`",
  why: "A finalizer sends what is aggregated, also in a mold that exits: metrics would be sent twice.",
  source: "lib/statsd/instrument/aggregator.rb, batched_sink.rb")
