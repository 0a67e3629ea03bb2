# frozen_string_literal: true

Coppice::Presets.define(:cassandra_driver, gem: "cassandra-driver", constant: "Cassandra",
  verdict: :keep_away,
  advice: "connect in `after_worker_fork`, and `before_fork`: `cluster.close`",
  why: "Its reactor thread does not survive a fork: futures wait forever.",
  source: "features/README.md")
