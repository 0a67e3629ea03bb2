# frozen_string_literal: true

Coppice::Presets.define(:timeout, gem: "timeout", constant: "Timeout", verdict: :handled,
  restarts: %w[timeout],
  does: "nothing: the library restarts its thread at the next call",
  advice: "nothing",
  why: "The thread that watches the time does not survive a fork.",
  source: "lib/timeout.rb")
