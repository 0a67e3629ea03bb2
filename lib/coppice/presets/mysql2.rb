# frozen_string_literal: true

require "coppice/fork_safety/connection_copies"

socket = ->(client) { IO.for_fd(client.socket, "r+", autoclose: false) }

copies = Coppice::ForkSafety::ConnectionCopies.new("Mysql2::Client",
  open: ->(client) { !client.closed? && socket.call(client).stat.socket? },
  detach: ->(client) { Coppice::ForkSafety::ConnectionCopies.detach_socket(socket.call(client)) },
  reconnect: ->(client) { client.ping }) # connects only a client that was made with `reconnect: true`

Coppice::Presets.define(:mysql2, gem: "mysql2", constant: "Mysql2::Client", versions: "0.5.7"..."0.6", tested: true,
  verdict: :acts, calls: copies.calls, goodbye: :close,
  does: "detaches copied connections from the parent's sockets. `ping` reconnects those with `reconnect: true` in " \
        "every worker",
  advice: "with `reconnect: true`, variables, `sql_mode`, prepared statements, locks and temporary tables are lost: " \
          "use `init_command`, or set them again in `after_worker_fork`. Create other clients in `after_worker_fork`",
  older: "`before_fork`: `client.close`; `after_worker_fork`: a new client",
  always: "For Active Record see activerecord, with every version of mysql2",
  why: "Two processes would read each other's answers. A copy that is dropped ends the session of both.",
  source: "README.md, ext/mysql2/client.c")
