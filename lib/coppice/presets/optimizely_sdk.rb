# frozen_string_literal: true

# Seen with 5.3.0 (2026-11-29).
Coppice::Presets.define(:optimizely_sdk, gem: "optimizely-sdk", constant: "Optimizely",
  verdict: :advice,
  advice: "`after_worker_fork`: create the client anew",
  why: "Its threads do not survive a fork: events are dropped.",
  source: "lib/optimizely/event/batch_event_processor.rb")
