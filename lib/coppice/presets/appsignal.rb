# frozen_string_literal: true

Coppice::Presets.define(:appsignal, gem: "appsignal", constant: "Appsignal", versions: "4"..."6", tested: true,
  verdict: :acts, calls: { after_in_worker: -> { Appsignal.forked } },
  does: "calls `Appsignal.forked` in every worker",
  advice: "`before_worker_exit`: `Appsignal.stop(\"coppice\")`",
  older: "`after_worker_fork`: `Appsignal.forked`",
  why: "It notices only the forks of servers that it knows.",
  source: "lib/appsignal.rb")
