# frozen_string_literal: true

module Coppice
  class Worker
    class OutOfBand
      # The connection pools of Active Record, which must be loaded.
      module ActiveRecordPools
        # The pools of all databases, roles and shards; with `legacy_connection_handling`, which Active Record 6.1 and
        # 7.0 may have, the pools of the current role. Active Record 7.1 warns of the old method. Before it the new one
        # takes `:all` for the name of a role, and that role has no pools.
        #: () -> Array[untyped]
        def self.all
          handler = ::ActiveRecord::Base.connection_handler
          version = [::ActiveRecord::VERSION::MAJOR, ::ActiveRecord::VERSION::MINOR]
          (version <=> [7, 1]).negative? ? handler.all_connection_pools : handler.connection_pool_list(:all)
        end
      end
    end
  end
end
