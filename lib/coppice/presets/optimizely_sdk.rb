# frozen_string_literal: true

Coppice::Presets.define(:optimizely_sdk, gem: "optimizely-sdk", constant: "Optimizely",
  verdict: :advice,
  advice: "`after_worker_fork`: create the client anew",
  why: "Its threads count as started in a copy, and do not exist: events are dropped.",
  source: "lib/optimizely/event/batch_event_processor.rb")
