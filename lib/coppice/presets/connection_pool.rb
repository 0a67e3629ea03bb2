# frozen_string_literal: true

Coppice::Presets.define(:connection_pool, gem: "connection_pool", constant: "ConnectionPool", versions: "2.4"...,
  tested: true, verdict: :handled,
  does: "nothing: the library closes the connections of each pool in the copy (`close` of the connection), and " \
        "makes new ones on demand",
  advice: "nothing, unless you set `auto_reload_after_fork: false`. What has no `close` is only dropped",
  older: "`after_mold_fork`: `pool.reload { |connection| connection.close }`",
  why: "A pool would hand out the parent's connections.",
  source: "lib/connection_pool/fork.rb, Changes.md (2.4.0)")
