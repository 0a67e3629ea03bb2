# frozen_string_literal: true

Coppice::Presets.define(:statsig, gem: "statsig", constant: "Statsig",
  verdict: :advice,
  advice: "`after_worker_fork`: `Statsig.maybe_restart_background_threads`",
  why: "Its threads do not survive a fork.",
  source: "lib/statsig.rb")
