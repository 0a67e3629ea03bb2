# frozen_string_literal: true

require "coppice/fork_safety/used_pools"

pools = Coppice::ForkSafety::UsedPools.new { ActiveRecord::Base.connection_handler.connection_pool_list(:all) }

Coppice::Presets.define(:activerecord, gem: "activerecord", constant: "ActiveRecord::Base",
  versions: "7.1"..., tested: true, verdict: :handled,
  restarts: %w[activerecord],
  calls: pools.calls,
  does: "Active Record discards its connections in each copy. Coppice connects each worker that is forked from a " \
        "promoted worker's copy, before it is ready, to the databases that the promoted worker was connected to",
  advice: "nothing. With SQLite also see sqlite3",
  older: "`before_fork`: `ActiveRecord::Base.connection_handler.clear_all_connections!`",
  why: "A shared socket would mix up the answers of two processes: each copy discards the pools of its parent.",
  source: "activerecord/lib/active_record/connection_adapters/pool_config.rb of rails/rails")
