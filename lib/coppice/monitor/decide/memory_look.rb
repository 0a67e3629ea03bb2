# frozen_string_literal: true

require "coppice/monitor/decide/sharing_look"
require "coppice/os/throttle"

module Coppice
  class Monitor
    # Notes in the roster how much memory is left, while a decision depends on it: whether a refork pays, how many extra
    # workers there may be, whether the mold of the release before can stay. Through SharingLook it also notes since
    # when as many processes share memory.
    class MemoryLook
      PAUSE = 0.1 # seconds between two looks while there are more processes than usual
      LONG_PAUSE = 1.0 # seconds between two other looks, and between two at the row of each worker

      #: (System, Roster) -> void
      def initialize(system, roster)
        @system = system
        @roster = roster
        @sharing = SharingLook.new(roster)
        @looks = OS::Throttle.new(PAUSE)
        @long_pauses = OS::Throttle.new(LONG_PAUSE)
      end

      # Not in each turn: it takes several files, for which the kernel has to add up.
      #: (Float) -> void
      def look(now)
        @sharing.look(now)
        return @roster.headroom.left = nil unless matters?

        long_over = @long_pauses.claim(now)
        look_at_rows if long_over
        return unless long_over || @roster.headroom.left.nil? || (hurried? && @looks.claim(now))

        @roster.headroom.left = @system.memory_left_kib
      end

      private

      def look_at_rows
        @roster.headroom.largest_worker = @roster.workers.map { |worker| worker.row.private_kib }.max.to_i
      end

      def matters? = @roster.settings.refork_after == :auto || hurried?

      # Whether there are more processes than usual.
      def hurried? = @roster.kept || !@roster.settled?
    end
  end
end
