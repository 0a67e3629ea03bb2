# frozen_string_literal: true

Coppice::Presets.define(:solid_queue, gem: "solid_queue", constant: "SolidQueue",
  tested: true, verdict: :advice, used: -> { ENV["SOLID_QUEUE_IN_PUMA"] },
  advice: "`service :solid_queue, survives_reforks: true do SolidQueue::Supervisor.start end`, or start `bin/jobs`: " \
          "its Puma plugin (`SOLID_QUEUE_IN_PUMA`) does nothing here. Enqueuing needs nothing",
  why: "No supervisor is started: jobs are enqueued and never run.",
  source: "lib/puma/plugin/solid_queue.rb")
