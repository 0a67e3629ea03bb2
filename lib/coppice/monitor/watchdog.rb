# frozen_string_literal: true

require "coppice/board/columns"
require "coppice/monitor/heartbeat"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides which children are overdue: in a request, while they start or while they leave. A child that is still
    # there a second after it was sent the user's signal is sent KILL.
    class Watchdog
      GRACE = 1.0 # seconds between the signal that the user chose and KILL

      #: (Config::Settings) -> void
      def initialize(settings)
        @cleanup_ms = settings.timeout_cleanup * 1000
        @spawn_timeout = settings.spawn_timeout
        @heartbeat = Heartbeat.new(Board::HEARTBEAT_SECONDS + settings.longest_turn)
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        @heartbeat.observe(roster, now)
        roster.handles.reject(&:orphaned?).filter_map do |handle|
          reason = reason_to_end(handle, now)
          Steps::End.new(culprit(handle), reason) if reason
        end
      end

      # When to look again, at the latest: the next deadline (monotonic seconds).
      #: (Roster) -> Float
      def next_deadline(roster)
        roster.handles.flat_map { |handle| [deadline(handle), request_deadline(handle)] }.compact.min || Float::INFINITY
      end

      private

      def reason_to_end(handle, now)
        return (:still_there if now >= handle.deadline) if handle.ended_for
        return late_for(handle) if (overdue = request_deadline(handle)) && now >= overdue
        return :unresponsive if handle.worker? && handle.ready? && @heartbeat.missing?(handle)
        return unless (deadline = deadline(handle)) && now >= deadline

        handle.leaving? ? :stop_timeout : :spawn_timeout
      end

      # Without a request it is the process's exit hook that hangs.
      def late_for(handle) = handle.row.started_ms.zero? ? :stop_timeout : :request_timeout

      # A request that was given more time has it also when its worker must leave, or fork a mold, afterwards.
      def deadline(handle)
        return unless handle.deadline

        in_hand = request_deadline(handle) if handle.leaving?
        in_hand = request_deadline(handle.parent)&.+(@spawn_timeout) if handle.requested? && handle.parent
        [handle.deadline, in_hand].compact.max
      end

      # Of a request, or of the process's exit hook. A worker exits by itself at its deadline; this is later by
      # `cleanup`.
      def request_deadline(handle)
        deadline_ms = handle.pid ? handle.row.deadline_ms : 0
        (deadline_ms + @cleanup_ms) / 1000.0 unless deadline_ms.zero?
      end

      # When a child was requested but not forked, the process that was to fork it hangs.
      def culprit(handle) = handle.requested? && handle.parent ? handle.parent : handle
    end
  end
end
