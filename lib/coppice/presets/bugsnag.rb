# frozen_string_literal: true

Coppice::Presets.define(:bugsnag, gem: "bugsnag", constant: "Bugsnag",
  versions: "6"..., verdict: :handled,
  restarts: %w[bugsnag],
  does: "nothing: the library compares the pid",
  advice: "nothing",
  why: "Its threads do not survive a fork.",
  source: "lib/bugsnag/delivery/thread_queue.rb")
