# frozen_string_literal: true

Coppice::Presets.define(:ddtrace, gem: "ddtrace", constant: "Datadog::Tracing", verdict: :handled,
  restarts: %w[ddtrace],
  does: "nothing: the library starts its threads again in each copy",
  advice: "nothing. Its successor is datadog",
  why: "Threads do not exist in a copy.",
  source: "lib/datadog/core/workers/async.rb of version 1 of DataDog/dd-trace-rb")
