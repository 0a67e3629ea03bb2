# frozen_string_literal: true

Coppice::Presets.define(:mongo, gem: "mongo", constant: "Mongo::Client",
  verdict: :advice,
  advice: "`before_fork`: `client.close`; `after_fork_in_parent` and `after_worker_fork`: `client.reconnect`, which " \
          "also starts its threads. Never `close` after the fork",
  why: "Its monitor threads do not survive a fork, and its sockets are shared.",
  source: "lib/mongo/client.rb, lib/mongo/server/monitor.rb")
