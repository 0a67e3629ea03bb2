# frozen_string_literal: true

Coppice::Presets.define(:airbrake_ruby, gem: "airbrake-ruby", constant: "Airbrake",
  versions: "6"..., verdict: :handled,
  restarts: %w[airbrake-ruby],
  does: "nothing: the library compares the pid",
  advice: "nothing",
  why: "Its threads do not survive a fork.",
  source: "lib/airbrake-ruby/thread_pool.rb")
