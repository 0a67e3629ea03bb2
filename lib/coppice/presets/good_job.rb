# frozen_string_literal: true

Coppice::Presets.define(:good_job, gem: "good_job", constant: "GoodJob",
  tested: true, verdict: :advice,
  advice: "`config.good_job.execution_mode = :external`, and jobs in their own process or a `service` " \
          "(docs/services.md). Enqueuing needs nothing",
  why: "The threads of `:async` do not survive a fork.",
  source: "README.md, lib/good_job/capsule_tracker.rb")
