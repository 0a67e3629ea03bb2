# frozen_string_literal: true

# Runs in the monitor.

module Coppice
  class Monitor
    # Why a child ended, in one word and in a log line: asked for, ended by us with a
    # reason, killed by a signal that was not ours, or left by itself.
    class ExitReport
      #: (Handle, Process::Status?) -> void
      def initialize(handle, status)
        @handle = handle
        @status = status
      end

      #: () -> Symbol
      def cause
        return @handle.ended_for if @handle.ended_for
        return @handle.pid ? :vanished : :never_forked unless @status
        return :asked if @handle.leaving? && left_well?
        return :signal if @status.signaled?

        @status.success? ? :left : :failed
      end

      # A rollout is routine and stays quiet; what nobody asked for is told.
      #: () -> Symbol
      def level
        case cause
        when :asked, :shutdown then :debug
        when :left then :info
        else :error
        end
      end

      # The fields of its log line.
      #: () -> Hash[Symbol, untyped]
      def to_log
        @handle.to_log.merge(
          why: cause, status: @status&.exitstatus,
          signal: (Signal.signame(@status.termsig) if @status&.signaled?),
          requests: (@handle.requests_count if @handle.worker?)
        ).compact
      end

      private

      # A mold that still loads the application ends by the default action of TERM.
      def left_well? = @status.success? || @status.termsig == Signal.list["TERM"]
    end
  end
end
