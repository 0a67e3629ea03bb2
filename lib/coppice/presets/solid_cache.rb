# frozen_string_literal: true

Coppice::Presets.define(:solid_cache, gem: "solid_cache", constant: "SolidCache",
  tested: true, verdict: :handled,
  does: "nothing: see activerecord and concurrent-ruby",
  advice: "nothing",
  why: "It uses Active Record and pools of concurrent-ruby.",
  source: "lib/solid_cache/store")
