# frozen_string_literal: true

Coppice::Presets.define(:rack_timeout, gem: "rack-timeout", constant: "Rack::Timeout",
  verdict: :handled,
  restarts: %w[rack-timeout],
  does: "nothing: the library restarts its thread",
  advice: "nothing",
  why: "Its scheduler thread does not survive a fork.",
  source: "lib/rack/timeout/support/scheduler.rb")
