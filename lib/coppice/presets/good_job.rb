# frozen_string_literal: true

Coppice::Presets.define(:good_job, gem: "good_job", constant: "GoodJob",
  tested: true, verdict: :advice,
  advice: "`config.good_job.execution_mode = :external`, and run jobs in a process of their own or in a `service`, " \
          "as docs/services.md shows. Enqueuing needs nothing",
  why: "The threads of `:async` do not exist in a copy.",
  source: "README.md, lib/good_job/capsule_tracker.rb")
