# frozen_string_literal: true

Coppice::Presets.define(:mongo, gem: "mongo", constant: "Mongo::Client",
  verdict: :advice,
  advice: "`before_fork`: `client.close`; `after_fork_in_parent` and `after_worker_fork`: `client.reconnect`, which " \
          "also starts its threads. Never `close` after the fork",
  why: "Its monitor threads do not survive a fork, and a copy's writes have the session and numbers of its parent's: " \
       "the server may take one for a repetition of the other.",
  source: "tried with 2.26.0 and a faked server; lib/mongo/client.rb, lib/mongo/server/monitor.rb")
