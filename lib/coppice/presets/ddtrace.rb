# frozen_string_literal: true

Coppice::Presets.define(:ddtrace, gem: "ddtrace", constant: "Datadog::Tracing", verdict: :handled,
  restarts: %w[ddtrace],
  does: "nothing: the library restarts its threads in each copy",
  advice: "nothing",
  why: "Its threads do not survive a fork.",
  source: "lib/datadog/core/workers/async.rb of version 1 of DataDog/dd-trace-rb")
