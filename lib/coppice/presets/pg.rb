# frozen_string_literal: true

require "timeout"
require "coppice/fork_safety/connection_copies"

# Seconds; a worker waits no longer for its database before it serves.
limit = 2

copies = Coppice::ForkSafety::ConnectionCopies.new("PG::Connection",
  open: ->(connection) { !connection.finished? && connection.socket_io.stat.socket? },
  detach: ->(connection) { Coppice::ForkSafety::ConnectionCopies.detach_socket(connection.socket_io) },
  reconnect: ->(connection) { Timeout.timeout(limit) { connection.reset } },
  closed: ->(connection) { connection.finished? }) # `reset` would connect it again

# The test also passes with 1.5.9 and 1.6.3 (2026-11-26).
Coppice::Presets.define(:pg, gem: "pg", constant: "PG::Connection", versions: "1.5"..."2", tested: true,
  verdict: :acts, calls: copies.calls, goodbye: :finish,
  does: "detaches copied connections from the parent's sockets, and calls `reset` on open ones in every worker",
  advice: "set up the session (`prepare`, `SET`, `LISTEN`) again in `after_worker_fork`",
  older: "`before_fork`: `connection.close`; `after_worker_fork`: `PG.connect`",
  always: "For Active Record see activerecord, with every version of pg",
  why: "Two processes would read each other's answers. A copy that is dropped ends the session of both.",
  source: "ext/pg_connection.c")
