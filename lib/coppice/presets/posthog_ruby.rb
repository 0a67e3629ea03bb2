# frozen_string_literal: true

Coppice::Presets.define(:posthog_ruby, gem: "posthog-ruby", constant: "PostHog",
  versions: "3"..., verdict: :handled,
  restarts: %w[posthog-ruby],
  does: "nothing: the library compares the pid",
  advice: "`before_worker_exit`: `client.flush`, or the last events are lost",
  why: "Its thread does not survive a fork.",
  source: "lib/posthog/send_worker.rb")
