# frozen_string_literal: true

Coppice::Presets.define(:analytics_ruby, gem: "analytics-ruby", constant: "Segment::Analytics",
  verdict: :advice,
  restarts: %w[analytics-ruby],
  advice: "`before_fork` and `before_worker_exit`: `client.flush`",
  why: "Its thread starts again, but each copy would send the queued events once more.",
  source: "lib/segment/analytics/client.rb")
