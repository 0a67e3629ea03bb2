# frozen_string_literal: true

Coppice::Presets.define(:rack_timeout, gem: "rack-timeout", constant: "Rack::Timeout",
  verdict: :handled,
  restarts: %w[rack-timeout],
  does: "nothing: the library starts it again",
  advice: "nothing. Coppice's own `timeout` makes it redundant",
  why: "Its scheduler thread does not exist in a copy.",
  source: "lib/rack/timeout/support/scheduler.rb")
