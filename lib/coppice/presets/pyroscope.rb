# frozen_string_literal: true

require "coppice/fork_safety/thread_census"

# Most of its threads have no names. Some stay after `stop`.
used = -> { Coppice::ForkSafety::ThreadCensus.take.unnamed_natives.any? }

Coppice::Presets.define(:pyroscope, gem: "pyroscope", constant: "Pyroscope", tested: true,
  verdict: :unsafe, unnamed_threads: true, used: used, calls: { unsafe: used },
  does: "never promotes a worker that is profiled",
  advice: "call `Pyroscope.configure` in `after_worker_fork` of one worker (`if worker.nr.zero?`), and not while " \
          "the application boots",
  why: "Its threads do not survive a fork: a copy is not profiled, and ends when it calls `configure` again.",
  source: "tried with 1.1.7")
