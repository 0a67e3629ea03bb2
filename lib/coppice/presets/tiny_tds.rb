# frozen_string_literal: true

Coppice::Presets.define(:tiny_tds, gem: "tiny_tds", constant: "TinyTds::Client",
  verdict: :advice, goodbye: :close,
  advice: "`before_fork`: `client.close`. Connect on the next use",
  why: "Two processes would read each other's answers.",
  source: "no code for forks in the repository (rails-sqlserver/tiny_tds)")
