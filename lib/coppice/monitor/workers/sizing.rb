# frozen_string_literal: true

require "coppice/monitor/steps"
require "coppice/monitor/workers/worker_count"

module Coppice
  class Monitor
    # Decides with how many workers the server begins, and between which numbers it may have them: by the configuration,
    # or with :auto by processors and memory. Before the first mold is ready only the processors count. When it is ready
    # its size counts as well, before a worker is forked from it.
    class Sizing
      # Between which numbers the number of workers follows the load (Elasticity); nil where it does not.
      attr_reader :bounds #: Range[Integer]?

      #: (Config::Settings, processors: Numeric, memory_total_kib: Integer?) -> void
      def initialize(settings, processors:, memory_total_kib:)
        @machine = { processors: processors, memory_total_kib: memory_total_kib }
        follow(settings)
      end

      # As this configuration says from now on, whatever a user has wanted.
      #: (Config::Settings) -> void
      def follow(settings)
        @wanted = settings.worker_processes
        @bounds = (@wanted if @wanted.is_a?(Range))
        @count = (WorkerCount.new(**@machine) if @wanted == :auto)
      end

      # The number before the mold is ready; later, where there are so many now.
      #: (?Integer?) -> Integer
      def first_target(now = nil)
        return @count.answer.workers if @count

        bounds ? now.to_i.clamp(bounds) : @wanted
      end

      # A user wants so many more, or fewer: now, and at both ends.
      #: (Integer) -> void
      def shift(difference)
        @bounds &&= bounded(bounds.min + difference)..bounded(bounds.max + difference)
      end

      # A user wants this number, whatever the load is.
      #: () -> void
      def fix = @bounds = @count = nil

      # Decides once. A TTIN or TTOU that came before the mold was ready has decided already.
      #: (Roster, Float) -> Array[Step]
      def next(roster, _now)
        return [] unless @count && roster.mold&.ready?

        answer = @count.answer(mold_kib: roster.mold.row.pss_kib)
        asked_for = roster.wanted != first_target
        @count = nil
        return [] if asked_for

        @bounds = answer.workers..answer.most
        [Steps::Resize.new(answer.workers, answer.reason_fields)]
      end

      private

      def bounded(number) = number.clamp(1, Config::Types::WorkerCount::MAXIMUM)
    end
  end
end
