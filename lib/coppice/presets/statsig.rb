# frozen_string_literal: true

Coppice::Presets.define(:statsig, gem: "statsig", constant: "Statsig",
  verdict: :advice,
  advice: "`after_worker_fork`: `Statsig.maybe_restart_background_threads`",
  why: "Its threads do not exist in a copy.",
  source: "lib/statsig.rb")
