# frozen_string_literal: true

Coppice::Presets.define(:sequel, gem: "sequel", constant: "Sequel::Database",
  verdict: :advice,
  advice: "`before_fork`: `Sequel::DATABASES.each(&:disconnect)`. Do not use the extension `async_thread_pool`",
  why: "Two processes would read each other's answers.",
  source: "doc/fork_safety.rdoc")
