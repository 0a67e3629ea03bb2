# frozen_string_literal: true

require "coppice/errors"
require "coppice/log"
require "coppice/monitor/state/exit_report"

module Coppice
  class Monitor
    # The part of Facts that is about the lobby: what it reports, which of its two processes has exited, and what it
    # must know of a worker that has.
    class LobbyFacts
      CLOSING_TIME = 1.0 # seconds from the end of the channel until the processes must have exited
      SEAT_PAUSE = 1.0 # seconds without a fork after the lobby had no descriptor left for a seat

      # For a process that installs a filter of its own where another filter kills for that.
      FILTERED = "a filter of system calls forbids the lobby's own: allow seccomp, in a systemd unit with " \
                 "SystemCallFilter=@system-service seccomp"

      # Causes of an exit after which another worker may get the request: the worker died by itself, or was killed by
      # somebody else, or for its seat.
      HARMLESS = %i[asked exited_by_itself failed signal vanished never_forked lost_seat].freeze
      OVERDUE = %i[timeout request_timeout].freeze

      #: (Context) -> void
      def initialize(context)
        @system = context.system
        @board = context.board
        @roster = context.roster
        @rows = context.rows
        @records = context.records
        @settings = context.roster.settings
        @log = context.log
        @lobby_log = context.log.with(role: :lobby)
      end

      # Raises ProtocolMismatch for a packet that no lobby sends.
      #: (LobbyHandle, Control::LobbyPacket) -> void
      def record(lobby, packet)
        case packet.words
        in ["registered", "keeper", /\A\d+\z/ => pid] then lobby.know(pid.to_i, :keeper)
        in ["registered", "loop", /\A\d+\z/ => pid] then loop_registered(lobby, pid.to_i)
        in ["ready"] then ready(lobby)
        in ["hanging", "keeper"] then lobby.keeper_hangs = !lobby.pid_of(:keeper).nil?
        in ["spoilt", /\A\d+\z/ => number] then seat_fault(number.to_i, :spoilt_ring)
        in ["lost", /\A\d+\z/ => number] then seat_lost(number.to_i)
        in ["drained"] then @log.debug("the lobby has no connection left", **lobby.to_log)
        in ["log", level, *text] if Log::LEVELS.key?(level.to_sym)
          @lobby_log.public_send(level, text.join(" "), **packet.to_log)
        else raise ProtocolMismatch, "a lobby may not send #{packet.words.inspect}"
        end
      end

      # One of its processes has exited.
      #: (LobbyHandle, Integer) -> void
      def reap(lobby, pid)
        exit = @system.reap(pid) { |cpu_us| note_cpu_time(lobby, pid, cpu_us) } or return
        part = lobby.forget(pid)
        report(lobby, part, pid, *exit)
        lose_loop(lobby) if part == :loop && lobby.pid.nil?
      end

      # Neither process has the channel any more.
      #: (LobbyHandle) -> void
      def channel_ended(lobby)
        lobby.deadline = [lobby.deadline, @system.now + CLOSING_TIME].compact.min
      end

      # Forgets a lobby of which no process is left, and all seats there.
      #: () -> void
      def forget_lost
        lobby = @roster.lobby
        return unless lobby&.lost?

        note_failure(lobby)
        lobby.move(:gone)
        @roster.remove(lobby)
        lobby.close
        @rows.release(lobby.row)
        @roster.workers.select(&:seat).each(&:leave_seat)
        @records.lobby_lost
      end

      # The lobby is to give its request to another worker, or to answer the client itself.
      #: (Handle) -> void
      def worker_exited(worker)
        cause = worker.exit_report.cause
        verdict = HARMLESS.include?(cause) ? ["retry"] : ["lost", OVERDUE.include?(cause) ? "timeout" : cause]
        @roster.lobby&.orders&.gone(worker.seat.number, *verdict)
      end

      private

      # The row is the loop's. Until that is reaped /proc has its CPU time as well: a reader takes the larger of both.
      def note_cpu_time(lobby, pid, cpu_us)
        pid == lobby.pid ? lobby.row.cpu_us = cpu_us : @board.slot.count(:cpu_us, cpu_us)
      end

      # The keeper makes a loop when the one before has exited: it can be reaped, if it is not yet, and its CPU time
      # must be noted before the row is another's.
      def loop_registered(lobby, pid)
        successor = !lobby.row.pid.zero?
        reap(lobby, lobby.pid) if lobby.pid
        lobby.know(pid, :loop)
        @board.pass_on(lobby.row, pid)
        lobby.orders.repeat if successor
        lobby.move(:registered) if lobby.state == :forked
      end

      def ready(lobby)
        return unless lobby.starting?

        lobby.move(:ready)
        lobby.deadline = nil
        lobby.ready_at ||= @system.now
        lobby.row.ready = 1
        @log.debug("ready", **lobby.to_log)
      end

      # The lobby says so until the worker is gone, so the worker may be gone already, and have been replaced.
      def seat_fault(number, fault)
        worker = @roster.workers.find { |one| one.seat&.number == number }
        worker&.note_seat_fault(fault)
      end

      # The next one's would be lost as well, until clients have left.
      def seat_lost(number)
        seat_fault(number, :lost_seat)
        @roster.spawns.wait_until(@system.now + SEAT_PAUSE)
      end

      # The keeper makes the next one. Until it is ready no worker gets a seat.
      def lose_loop(lobby)
        lobby.row.ready = 0
        return unless lobby.ready?

        lobby.move(:registered)
        lobby.deadline = @system.now + @settings.spawn_timeout
      end

      def report(lobby, part, pid, status, peak_kib = nil)
        report = ExitReport.new(lobby, status, now: @system.now, pid: pid, peak_kib: peak_kib)
        remedy = FILTERED if report.signal == "SYS"
        @log.public_send(report.level, "lobby exited", part: part, **report.to_log, **{ remedy: remedy }.compact)
        @records.exited(lobby, report)
      end

      def note_failure(lobby)
        @roster.lobbies.exited(lobby.ready_at, @system.now) unless lobby.leaving? && lobby.kill_reason.nil?
      end
    end
  end
end
