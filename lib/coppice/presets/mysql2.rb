# frozen_string_literal: true

require "coppice/fork_safety/connection_copies"

socket = ->(client) { IO.for_fd(client.socket, "r+", autoclose: false) }

copies = Coppice::ForkSafety::ConnectionCopies.new("Mysql2::Client",
  open: ->(client) { !client.closed? && socket.call(client).stat.socket? },
  detach: ->(client) { Coppice::ForkSafety::ConnectionCopies.detach_socket(socket.call(client)) },
  reconnect: ->(client) { client.ping }) # connects only a client that was made with `reconnect: true`

Coppice::Presets.define(:mysql2, gem: "mysql2", constant: "Mysql2::Client", versions: "0.5.7"..."0.6", tested: true,
  verdict: :acts, calls: copies.calls, goodbye: :close,
  does: "detaches the copies of connections from the parent's sockets. In every worker `ping` connects again those " \
        "that were made with `reconnect: true`",
  advice: "with `reconnect: true`: what belongs to the session (variables, `sql_mode`, temporary tables) is gone " \
          "after that. Give it as `init_command`, which each connection executes, or set it again in " \
          "`after_worker_fork`. Create other clients anew in `after_worker_fork`: the copies raise an error",
  older: "`before_fork`: `client.close`; `after_worker_fork`: a new client",
  always: "For connections of Active Record see activerecord, whatever the version of mysql2",
  why: "A client knows nothing of forks: two processes would read each other's answers, and a copy that is dropped " \
       "ends the session of both.",
  source: "README.md, ext/mysql2/client.c")
