# frozen_string_literal: true

module Coppice
  class Monitor
    # Notes in the roster how much memory is left, while a decision depends on it: whether a refork pays, how many extra
    # workers there may be, whether the mold of the release before can stay.
    class MemoryLook
      #: (System, Roster) -> void
      def initialize(system, roster)
        @system = system
        @roster = roster
        @due_at = -Float::INFINITY
      end

      # Not in each turn: it takes several files, for which the kernel has to add up, and the row of each worker.
      #: (Float) -> void
      def look(now)
        return @roster.memory_left_kib = nil unless matters?
        return if @roster.memory_left_kib && now < @due_at

        @due_at = now + @system.memory_pause
        @roster.memory_left_kib = @system.memory_left_kib
        @roster.largest_worker_kib = @roster.workers.map { |worker| worker.row.private_kib }.max.to_i
      end

      private

      def matters? = @roster.settings.refork_after == :auto || @roster.kept || !@roster.settled?
    end
  end
end
