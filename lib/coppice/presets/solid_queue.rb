# frozen_string_literal: true

Coppice::Presets.define(:solid_queue, gem: "solid_queue", constant: "SolidQueue",
  tested: true, verdict: :advice, used: -> { ENV["SOLID_QUEUE_IN_PUMA"] },
  advice: "`service :solid_queue, survives_reforks: true do SolidQueue::Supervisor.start end`, or `bin/jobs`. The " \
          "Puma plugin (`SOLID_QUEUE_IN_PUMA`) does nothing. Enqueuing needs nothing",
  why: "Without a supervisor, jobs never run.",
  source: "lib/puma/plugin/solid_queue.rb")
