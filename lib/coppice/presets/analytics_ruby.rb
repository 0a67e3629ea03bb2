# frozen_string_literal: true

Coppice::Presets.define(:analytics_ruby, gem: "analytics-ruby", constant: "Segment::Analytics",
  verdict: :advice,
  restarts: %w[analytics-ruby],
  advice: "`before_fork` and `before_worker_exit`: `client.flush`",
  why: "A copy would send queued events again.",
  source: "lib/segment/analytics/client.rb")
