# frozen_string_literal: true

Coppice::Presets.define(:nats_pure, gem: "nats-pure", constant: "NATS::Client",
  versions: "2.4"..., verdict: :handled,
  restarts: %w[nats-pure],
  does: "nothing: the library connects again in each copy",
  advice: "nothing, unless you set `reconnect: false`",
  older: "`after_worker_fork`: a new client",
  why: "Its threads do not exist in a copy.",
  source: "lib/nats/io/client.rb")
