# frozen_string_literal: true

Coppice::Presets.define(:elastic_apm, gem: "elastic-apm", constant: "ElasticAPM",
  versions: "4"..., verdict: :handled,
  restarts: %w[elastic-apm],
  does: "nothing: the library notices the fork at each transaction",
  advice: "nothing",
  why: "Its threads do not survive a fork.",
  source: "lib/elastic_apm/agent.rb")
