# frozen_string_literal: true

Coppice::Presets.define(:mongoid, gem: "mongoid", constant: "Mongoid",
  versions: "9"..., verdict: :advice,
  advice: "`before_fork`: `Mongoid.disconnect_clients`; `after_worker_fork`: `Mongoid.reconnect_clients`",
  older: "`before_fork`: `Mongoid.disconnect_clients`; `after_worker_fork`: " \
         "`Mongoid::Clients.clients.each_value(&:reconnect)`",
  why: "Its monitor threads do not survive a fork, and its sockets are shared.",
  source: "the Mongoid manual, Forking Server Configuration")
