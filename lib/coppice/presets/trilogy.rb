# frozen_string_literal: true

require "coppice/fork_safety/connection_copies"

copies = Coppice::ForkSafety::ConnectionCopies.new("Trilogy",
  open: ->(client) { !client.closed? },
  detach: ->(client) { client.discard! })

Coppice::Presets.define(:trilogy, gem: "trilogy", constant: "Trilogy", versions: "2.13"..."3", tested: true,
  verdict: :acts, calls: copies.calls, goodbye: :close,
  does: "calls `discard!` on copied connections, which leaves the parent's session alone",
  advice: "connect in `after_worker_fork`, or when `client.closed?`",
  older: "`after_mold_fork`: `client.discard!`; `after_worker_fork`: `Trilogy.new`",
  always: "For Active Record see activerecord, with every version of trilogy",
  why: "Two processes would read each other's answers. With TLS, a copy that is dropped ends the session of both.",
  source: "contrib/ruby/ext/trilogy-ruby/cext.c")
