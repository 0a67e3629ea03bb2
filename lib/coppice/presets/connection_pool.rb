# frozen_string_literal: true

Coppice::Presets.define(:connection_pool, gem: "connection_pool", constant: "ConnectionPool", versions: "2.4"...,
  tested: true, verdict: :handled,
  does: "nothing: a copy closes (`close`) what the pool holds, and opens new connections on demand",
  advice: "nothing, unless you set `auto_reload_after_fork: false`. Connections without `close` are only dropped",
  older: "`after_mold_fork`: `pool.reload { |connection| connection.close }`",
  why: "A pool would hand out the parent's connections.",
  source: "lib/connection_pool/fork.rb, Changes.md (2.4.0)")
