# frozen_string_literal: true

Coppice::Presets.define(:timeout, gem: "timeout", constant: "Timeout", verdict: :handled,
  restarts: %w[timeout],
  does: "nothing: the library starts its thread again at the next call",
  advice: "nothing",
  why: "The thread that watches the time does not exist in a copy.",
  source: "lib/timeout.rb")
