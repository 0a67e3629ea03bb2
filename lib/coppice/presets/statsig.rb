# frozen_string_literal: true

# Seen with 2.9.5 (2026-11-29).
Coppice::Presets.define(:statsig, gem: "statsig", constant: "Statsig",
  verdict: :advice,
  advice: "`after_worker_fork`: `Statsig.initialize` as at boot, which only restarts the threads",
  why: "Its threads do not survive a fork. Events that were not yet sent are sent by each copy as well.",
  source: "lib/statsig.rb")
