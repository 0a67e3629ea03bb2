# frozen_string_literal: true

Coppice::Presets.define(:dogstatsd_ruby, gem: "dogstatsd-ruby", constant: "Datadog::Statsd", versions: "5"...,
  tested: true, verdict: :handled,
  restarts: %w[dogstatsd-ruby],
  does: "nothing: the library restarts its thread at the next metric",
  advice: "`before_worker_exit`: `statsd.close`, or the last metrics are lost",
  older: "nothing",
  why: "The thread that sends metrics does not survive a fork.",
  source: "lib/datadog/statsd/sender.rb")
