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
  does: "detaches the copies of connections from the parent's sockets, and calls `reset` on each in every worker, " \
        "unless the application has closed it",
  advice: "what belongs to the session (`prepare`, `SET`, `LISTEN`) must be set up again in `after_worker_fork`",
  older: "`before_fork`: `connection.close`; `after_worker_fork`: `PG.connect`",
  always: "For connections of Active Record see activerecord, whatever the version of pg",
  why: "A connection knows nothing of forks: two processes would read each other's answers, and libpq ends the " \
       "session of both when one of them drops its copy.",
  source: "ext/pg_connection.c")
