# frozen_string_literal: true

require "coppice/fork_safety/used_pools"

pools = Coppice::ForkSafety::UsedPools.new { ActiveRecord::Base.connection_handler.connection_pool_list(:all) }

Coppice::Presets.define(:activerecord, gem: "activerecord", constant: "ActiveRecord::Base",
  versions: "7.1"..., tested: true, verdict: :handled,
  restarts: %w[activerecord],
  calls: pools.calls,
  does: "connects each worker of a promoted mold, before it is ready, to the databases of the promoted worker. " \
        "Active Record discards copied connections",
  advice: "nothing. With SQLite see sqlite3",
  older: "`before_fork`: `ActiveRecord::Base.connection_handler.clear_all_connections!`",
  why: "Two processes would read each other's answers.",
  source: "activerecord/lib/active_record/connection_adapters/pool_config.rb of rails/rails")
