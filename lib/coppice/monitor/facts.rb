# frozen_string_literal: true

require "coppice/control/messages"
require "coppice/monitor/exit_report"

# Runs in the monitor.

module Coppice
  class Monitor
    # Takes in what children say and how they end, and puts it down in the roster.
    # A child is gone when it was reaped, or when its channel ended before anybody
    # had told its pid: then it never came to be.
    class Facts
      SPAWN_PAUSE = 0.05 # seconds, doubled with each child in a row that never got ready
      LONGEST_PAUSE = 5.0

      #: (monitor: Monitor, system: System, roster: Roster, rows: RowPool, settings: untyped, log: untyped) -> void
      def initialize(monitor:, system:, roster:, rows:, settings:, log:)
        @monitor = monitor
        @system = system
        @roster = roster
        @rows = rows
        @settings = settings
        @log = log
        @early_exits = {} # pid => status, of children reaped before their pid was told
      end

      # Everything that has come in on one child's channel.
      #: (Handle) -> void
      def hear(handle)
        loop do
          case packet = handle.channel.receive
          when :empty then break
          when :closed then break channel_ended(handle)
          else take(handle, packet.message)
          end
        end
      rescue ProtocolMismatch => error
        @log.error("a child speaks another language", **handle.to_log, error: error.message)
        channel_ended(handle)
      end

      # Everybody who has ended since the last call.
      #: () -> void
      def reap
        while (pid, status = @system.reap)
          handle = @roster.by_pid(pid)
          handle ? ended(handle, status) : @early_exits[pid] = status
        end
        @early_exits.clear if @roster.handles.none?(&:requested?) # they were nobody's we wait for
      end

      private

      def take(handle, message)
        case message
        when Control::Messages::Forked then forked(handle, message.pid)
        when Control::Messages::Registered then handle.move(:registered) if handle.starting?
        when Control::Messages::Ready then ready(handle)
        when Control::Messages::RequestLimitReached then nil # its purpose was to wake us: the board has the count
        else raise ProtocolMismatch, "a child may not say #{message.class}"
        end
      end

      def forked(handle, pid)
        handle.pid = pid
        return unless handle.requested?

        handle.move(:forked)
        handle.deadline = @system.now + @settings.spawn_timeout
        status = @early_exits.delete(pid)
        ended(handle, status) if status
      end

      # One that was told to leave meanwhile will find that out by itself.
      def ready(handle)
        return unless handle.starting?

        handle.move(:ready)
        handle.deadline = nil
        @roster.failed_spawns = 0
        @log.debug("ready", **handle.to_log)
        @monitor.worker_ready if handle.worker?
      end

      def channel_ended(handle)
        handle.channel.close
        return ended(handle, nil) unless handle.pid

        # It cannot be told anything any more; if it does not end by itself, it is ended.
        handle.deadline ||= @system.now + @settings.timeout + @settings.timeout_cleanup
      end

      def ended(handle, status)
        report = ExitReport.new(handle, status)
        lost(handle) if handle.starting? || handle.ended_for == :spawn_timeout
        write_down(report)
        handle.move(:gone)
        @roster.remove(handle)
        @rows.release(handle.row)
        handle.channel.close
        @monitor.child_ended(handle, status)
      end

      # It ended before it was of any use. A pause grows with each one in a row, so
      # that a broken hook does not burn a core.
      def lost(handle)
        @roster.trial_lost = true if handle.equal?(@roster.trial)
        return if handle.mold?

        @roster.failed_spawns += 1
        pause = [SPAWN_PAUSE * (2**@roster.failed_spawns), LONGEST_PAUSE].min
        @roster.spawn_not_before = @system.now + pause
      end

      def write_down(report)
        @log.public_send(report.level, "ended", **report.to_log)
      end
    end
  end
end
