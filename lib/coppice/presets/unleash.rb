# frozen_string_literal: true

# Seen with 6.7.1 (2026-11-29).
Coppice::Presets.define(:unleash, gem: "unleash", constant: "Unleash::Client",
  verdict: :advice,
  advice: "`after_worker_fork`: `Unleash::Client.new`; `before_worker_exit`: `client.shutdown`",
  why: "Its threads do not survive a fork: flags do not change.",
  source: "README.md")
