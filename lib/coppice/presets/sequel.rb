# frozen_string_literal: true

Coppice::Presets.define(:sequel, gem: "sequel", constant: "Sequel::Database",
  verdict: :advice,
  advice: "`before_fork`: `Sequel::DATABASES.each(&:disconnect)`. The extension `async_thread_pool` does not work " \
          "in a copy",
  why: "It knows nothing of forks: two processes would read each other's answers.",
  source: "doc/fork_safety.rdoc")
