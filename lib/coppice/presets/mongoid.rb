# frozen_string_literal: true

Coppice::Presets.define(:mongoid, gem: "mongoid", constant: "Mongoid",
  versions: "9"..., verdict: :advice,
  advice: "`before_fork`: `Mongoid.disconnect_clients`; `after_fork_in_parent` and `after_worker_fork`: " \
          "`Mongoid.reconnect_clients`",
  older: "`before_fork`: `Mongoid.disconnect_clients`; `after_fork_in_parent` and `after_worker_fork`: " \
         "`Mongoid::Clients.clients.each_value(&:reconnect)`",
  why: "See mongo.",
  source: "tried with 9.1.1 and a faked server; the Mongoid manual, Forking Server Configuration")
