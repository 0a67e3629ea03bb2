# frozen_string_literal: true

Coppice::Presets.define(:judoscale_ruby, gem: "judoscale-ruby", constant: "Judoscale",
  verdict: :advice,
  restarts: %w[judoscale-ruby],
  advice: "`after_mold_fork`: `Judoscale::MetricsStore.instance.clear`",
  why: "A copy would report its parent's samples again.",
  source: "lib/judoscale/reporter.rb, lib/judoscale/metrics_store.rb")
