# frozen_string_literal: true

require "coppice/fork_safety/connection_copies"

copies = Coppice::ForkSafety::ConnectionCopies.new("Trilogy",
  open: ->(client) { !client.closed? },
  detach: ->(client) { client.discard! })

Coppice::Presets.define(:trilogy, gem: "trilogy", constant: "Trilogy", versions: "2.13"..."3", tested: true,
  verdict: :acts, calls: copies.calls, goodbye: :close,
  does: "discards the copies of connections (`discard!`), which leaves the parent's session alone",
  advice: "connect anew in `after_worker_fork`, or when `client.closed?`: the copies raise an error",
  older: "`after_mold_fork`: `client.discard!`; `after_worker_fork`: `Trilogy.new`",
  always: "For connections of Active Record see activerecord, whatever the version of trilogy",
  why: "A client knows nothing of forks: two processes would read each other's answers, and a copy that is dropped " \
       "ends the session of both.",
  source: "contrib/ruby/ext/trilogy-ruby/cext.c")
