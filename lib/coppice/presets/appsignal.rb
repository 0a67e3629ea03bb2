# frozen_string_literal: true

Coppice::Presets.define(:appsignal, gem: "appsignal", constant: "Appsignal",
  verdict: :advice,
  advice: "`after_worker_fork`: `Appsignal.forked`; `before_worker_exit`: `Appsignal.stop(\"coppice\")`",
  why: "It notices only the forks of servers that it knows.",
  source: "lib/appsignal.rb")
