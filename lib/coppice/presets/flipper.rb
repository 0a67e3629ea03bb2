# frozen_string_literal: true

Coppice::Presets.define(:flipper, gem: "flipper", constant: "Flipper",
  versions: "1"..., verdict: :handled,
  restarts: %w[flipper],
  does: "nothing: the library compares the pid",
  advice: "nothing",
  why: "The threads of its cloud adapter do not survive a fork.",
  source: "lib/flipper/poller.rb")
