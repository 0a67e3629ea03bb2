# frozen_string_literal: true

Coppice::Presets.define(:rollbar, gem: "rollbar", constant: "Rollbar",
  verdict: :handled,
  restarts: %w[rollbar],
  does: "nothing: it starts a thread for each report",
  advice: "nothing",
  why: "It has no thread that lasts.",
  source: "lib/rollbar/delay/thread.rb")
