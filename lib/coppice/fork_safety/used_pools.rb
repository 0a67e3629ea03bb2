# frozen_string_literal: true

module Coppice
  module ForkSafety
    # The connection pools of Active Record that a worker was using when it was promoted. Each worker forked from its
    # copy connects with these pools before it is ready, so that its first client does not wait for that. Active Record
    # discards pools in each copy and makes them anew; their configurations stay.
    class UsedPools
      # The block returns all pools of this process.
      #: () { () -> Array[untyped] } -> void
      def initialize(&pools)
        @pools = pools
        @used = {}.compare_by_identity # configuration of a pool => true
      end

      # The calls of a preset.
      #: () -> Hash[Symbol, ^() -> void]
      def calls = { before_promotion: method(:note), before_ready: method(:connect) }

      private

      # The configurations, because pools that are kept would keep the connections of this process in each copy.
      def note
        @used.clear
        @pools.call.each { |pool| @used[pool.pool_config] = true if pool.connected? }
      end

      # A database that cannot be reached must not keep this process from the others. The first error is raised at the
      # end.
      def connect
        return if @used.empty?

        errors = @pools.call.select { |pool| @used.key?(pool.pool_config) }.filter_map { |pool| error_of(pool) }
        raise errors.first unless errors.empty?
      end

      # A connection is opened when it is first used: so it is verified. It goes back to the pool, where the request
      # finds it.
      def error_of(pool)
        pool.with_connection(&:verify!)
        nil
      rescue StandardError => error # of the database, or its driver
        error
      end
    end
  end
end
