# frozen_string_literal: true

require "coppice/control/messages"
require "coppice/monitor/learn/audit_log"
require "coppice/monitor/learn/exit_watch"
require "coppice/monitor/learn/exits"
require "coppice/monitor/lobby/lobby_facts"

module Coppice
  class Monitor
    # Receives what children report, reaps those that exit, and records both in the roster. Exits knows what an exit
    # means.
    class Facts
      #: (Context) -> void
      def initialize(context)
        @system = context.system
        @port = context.port
        @knowledge = context.knowledge
        @roster = context.roster
        @log = context.log
        @board = context.board
        @audit_log = AuditLog.new(context.system, context.board, context.log)
        @lobby = LobbyFacts.new(context)
        @watch = ExitWatch.new(context)
        @exits = Exits.new(context, lobby: @lobby)
      end

      # Receives all messages on one child's channel.
      #: (Handle) -> void
      def receive_from(handle)
        until handle.gone?
          case packet = handle.channel.receive
          when :empty then break
          when :closed then break channel_ended(handle)
          else handle.lobby? ? @lobby.record(handle, packet.message) : record(handle, packet.message)
          end
        end
      rescue ProtocolMismatch => error
        @log.error("malformed message from a child", **handle.to_log, error: error.message)
        channel_ended(handle)
      end

      # Reaps the children that have exited since the last call. signalled: whether CHLD has come.
      #: (signalled: bool) -> void
      def reap(signalled:)
        @watch.look(signalled: signalled) { |handle, pid| pid ? reap_one(handle, pid) : @exits.note(handle, nil) }
        @lobby.forget_lost
      end

      # When to reap again whatever comes (monotonic seconds).
      #: () -> Float?
      def due_at = @watch.due_at

      private

      def reap_one(handle, pid) = handle.lobby? ? @lobby.reap(handle, pid) : reap_child(handle)

      # What it has said since the turn looked at its channel counts: a worker that was ready, and served, has not
      # failed to start.
      def reap_child(handle)
        group = handle.traits.own_group
        exit = @system.reap(handle.pid, group: group) { |cpu_us| note_cpu_time(handle, cpu_us) } or return
        receive_from(handle) unless handle.channel.closed?
        @exits.note(handle, *exit)
      end

      # A reader never finds a process without its CPU time, neither in /proc nor on the board.
      def note_cpu_time(handle, cpu_us) = handle.row.cpu_us = [handle.row.cpu_us, cpu_us].max

      def record(handle, message)
        case message
        when Control::Messages::Forked then forked(handle, message.pid)
        when Control::Messages::Registered then registered(handle, message.pid)
        when Control::Messages::AuditFinished then audited(handle, message.findings)
        when Control::Messages::Ready then ready(handle)
        when Control::Messages::Failed then handle.failure ||= message
        when Control::Messages::SignalReceived then signal_received(handle, message.name)
        when Control::Messages::BecameUnsafe then became_unsafe(handle, message)
        when Control::Messages::PathsCounted then @knowledge.add_paths(message.counts)
        when Control::Messages::RequestLimitReached then nil # it only wakes the monitor: the count is on the board
        else raise ProtocolMismatch, "a child may not send #{message.class}"
        end
      end

      def forked(handle, pid)
        return if handle.pid == pid
        return kill_duplicate(handle, pid) if handle.pid

        handle.pid = pid
        now = @system.now
        handle.deadline = now + time_to_get_ready(handle) if handle.requested?
        handle.note_fork(now)
      end

      def time_to_get_ready(handle)
        settings = @roster.settings_of(handle)
        return settings.boot_timeout if handle.warms_up?

        handle.mold? ? settings.mold_timeout : settings.spawn_timeout
      end

      # The process that has forked it may not have reported the pid yet, and may have died.
      def registered(handle, pid)
        forked(handle, pid)
        handle.move(:registered) if handle.state == :forked && handle.pid == pid
      end

      # A hook or a library has forked: a second process uses the channel of this child.
      def kill_duplicate(handle, pid)
        @log.error("duplicate process killed", **handle.to_log, stray_pid: pid)
        @system.kill(pid)
      end

      def audited(handle, findings)
        handle.audit_findings += findings.size
        @audit_log.note(handle, findings)
      end

      # A child that was told to exit while it started reads that message now: from now on it has time for it.
      def ready(handle)
        handle.deadline = handle.leave_deadline if handle.leaving? && handle.kill_reason.nil?
        return unless handle.starting?

        handle.move(:ready)
        handle.deadline = nil
        handle.ready_at = @system.now
        handle.row.ready = 1 if handle.observer? # which cannot write to the board
        @roster.headroom.boot_peak = @system.peak_kib(handle.pid) || @roster.headroom.boot_peak if handle.cold?
        @log.debug("ready", **handle.to_log)
        handle.errand&.ready(@roster.settings, @log)
        return unless handle.worker?

        @roster.spawns.succeeded
        @roster.succession.worker_ready
        open_port unless handle.rehearsing? || @roster.stopping
      end

      def open_port
        @port.open
        @roster.listening = true
      end

      # Only notes the signal: Retirement decides what to do.
      def signal_received(handle, name)
        handle.stop_signal ||= name
        handle.signalled_at ||= @system.now
      end

      def channel_ended(handle)
        handle.close_channel
        return @lobby.channel_ended(handle) if handle.lobby?
        return @exits.note(handle, nil) unless handle.pid
        return if handle.may_be_silent?

        # No message can reach it any more. If it does not exit by itself, the watchdog kills it.
        handle.deadline ||= @system.now + (another_program?(handle) ? 0 : @roster.settings_of(handle).hard_timeout)
      end

      # The application has called exec: what it becomes serves nobody.
      def another_program?(handle)
        (handle.worker? || handle.mold?) && !handle.cold? && @system.replaced?(handle.pid)
      end

      def became_unsafe(handle, message)
        return unless @roster.of_release?(handle)

        heir, known = @roster.heir, @roster.heir.routes
        lost = heir.note(handle, message, @system.now)
        return if heir.routes == known && !lost

        @log.info("a request has made a worker unsafe to fork", **handle.to_log, **message.to_h)
        @board.unsafe_routes = heir.routes.map { |route| "#{route.template}\t#{route.why}" }.join("\n")
        return unless lost && heir.given_up?

        @log.warn("no worker is kept fit for reforks any more: those that were kept became unsafe one after the other",
          why: message.why)
      end
    end
  end
end
