# frozen_string_literal: true

require "coppice/fork_safety/thread_census"

Coppice::Presets.define(:vernier, gem: "vernier", constant: "Vernier",
  verdict: :advice, unnamed_threads: true,
  used: -> { Coppice::ForkSafety::ThreadCensus.take.unnamed_natives.any? },
  advice: "profile single requests, as its middleware does. `before_fork`: `Vernier.stop_profile`, if a profile is " \
          "running",
  why: "A copy made while a profile is running hangs.",
  source: "tried with 1.12.0")
