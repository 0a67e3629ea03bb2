# frozen_string_literal: true

Coppice::Presets.define(:honeybadger, gem: "honeybadger", constant: "Honeybadger",
  versions: "5"..., verdict: :handled,
  restarts: %w[honeybadger],
  does: "nothing: the library compares the pid",
  advice: "`before_worker_exit`: `Honeybadger.stop`, or the last reports are lost",
  why: "Its threads do not survive a fork.",
  source: "lib/honeybadger/worker.rb")
