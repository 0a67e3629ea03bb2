# frozen_string_literal: true

Coppice::Presets.define(:resque, gem: "resque", constant: "Resque",
  versions: "2"..., verdict: :handled,
  does: "nothing: see redis",
  advice: "nothing",
  why: "Its connection is that of the gem redis.",
  source: "lib/resque/data_store.rb")
