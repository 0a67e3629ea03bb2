# frozen_string_literal: true

require "coppice/monitor/sharing_look"
require "coppice/monitor/throttle"

module Coppice
  class Monitor
    # Notes in the roster how much memory is left, while a decision depends on it: whether a refork pays, how many extra
    # workers there may be, whether the mold of the release before can stay. Through SharingLook it also notes since
    # when as many processes share memory.
    class MemoryLook
      PAUSE = 0.1 # seconds between two looks
      ROWS_PAUSE = 1.0 # seconds between two looks at the row of each worker

      #: (System, Roster) -> void
      def initialize(system, roster)
        @system = system
        @roster = roster
        @sharing = SharingLook.new(roster)
        @looks = Throttle.new(PAUSE)
        @looks_at_rows = Throttle.new(ROWS_PAUSE)
      end

      # Not in each turn: it takes several files, for which the kernel has to add up.
      #: (Float) -> void
      def look(now)
        @sharing.look(now)
        return @roster.memory_left_kib = nil unless matters?
        return unless @looks.pass?(now) || @roster.memory_left_kib.nil?

        @roster.memory_left_kib = @system.memory_left_kib
        look_at_rows if @looks_at_rows.pass?(now)
      end

      private

      def look_at_rows
        @roster.largest_worker_kib = @roster.workers.map { |worker| worker.row.private_kib }.max.to_i
      end

      def matters? = @roster.settings.refork_after == :auto || @roster.kept || !@roster.settled?
    end
  end
end
