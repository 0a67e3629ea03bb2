# frozen_string_literal: true

require "coppice/control/messages"
require "coppice/monitor/handle"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Carries out what was decided: the only file of the monitor that spawns, signals and sends. Each step is recorded
    # in the roster at once, so that the next decision knows of it.
    class Actions
      SYSTEM_PAUSE = 1.0 # seconds until the next try when the system has no descriptor or process to give

      # What it acts on: the system, the roster, the board and its rows, the listeners, cold molds, hooks.
      #: (system: System, roster: Roster, board: Board, rows: RowPool, port: ServingPort, spawner: MoldSpawner,
      #   hooks: UserHooks, settings: Config::Settings, log: Log) -> void
      def initialize(system:, roster:, board:, rows:, port:, spawner:, hooks:, settings:, log:)
        @system = system
        @board = board
        @port = port
        @spawner = spawner
        @hooks = hooks
        @roster = roster
        @rows = rows
        @settings = settings
        @log = log
      end

      #: (Array[Step], Float) -> void
      def perform(steps, now)
        steps.each { |step| carry_out(step, now) }
      rescue SystemCallError => error # no descriptor, memory or process is left: the machine may recover
        @log.error("the system refuses", error: error.message, again_in: SYSTEM_PAUSE)
        forks = [@roster.spawns, @roster.replacements, @roster.reforks]
        forks.each { |backoff| backoff.wait_until(now + SYSTEM_PAUSE) }
      end

      # A signal to a child that may have exited in this instant.
      #: (Handle, Symbol | Integer) -> void
      def signal(handle, name)
        handle.vanished = true if handle.pid && !handle.gone? && !@system.signal(handle.pid, name)
      end

      # Tells a child to exit at once; the watchdog kills it if it has not by the deadline.
      #: (Handle, Float) -> void
      def interrupt(handle, deadline)
        record_end(handle, :shutdown, deadline)
        signal(handle, :INT)
      end

      private

      def carry_out(step, now)
        case step
        when Steps::ColdBoot then cold_boot(step, now)
        when Steps::Promote then promote(step, now)
        when Steps::Spawn then spawn(step, now)
        when Steps::Commit then commit(step, now)
        when Steps::Resize then resize(step)
        when Steps::Abandon then abandon(step, now)
        when Steps::Rehearse then rehearse(step, now)
        when Steps::Refit then refit(step.worker, now)
        when Steps::Recycle then recycle(step)
        when Steps::Warn then @log.warn(step.message, **step.fields)
        when Steps::Retire then retire(step.handle, now, signal: step.signal)
        when Steps::RefuseNewConnections then @port.refuse_new_connections
        when Steps::Drain then drain(step.handle, now)
        when Steps::End then end_child(step.handle, step.reason, now)
        when Steps::GiveUp then @roster.give_up_reason ||= step.reason
        else raise Bug, "no action for #{step.inspect}"
        end
      end

      def cold_boot(step, now)
        ours, theirs = @system.channel_pair
        pid, description = @spawner.spawn(theirs)
        handle = enlist(:mold, step.generation, ours, now + @settings.boot_timeout)
        handle.pid = pid
        handle.forked_at = now
        handle.move(:forked)
        @roster.candidate = handle
        @log.info("booting the application", **handle.to_log, **description)
        @spawner.introduce(handle)
      ensure
        theirs&.close
        ours&.close unless handle
      end

      def promote(step, now)
        time_to_fork = @settings.longest_turn + @settings.spawn_timeout
        step.worker.promotions += 1
        @roster.candidate = ask(step.worker, role: :mold, generation: step.generation, deadline: now + time_to_fork)
        @log.info("promotion started", **step.worker.to_log, requests: step.worker.requests_count,
                  new_gen: step.generation, **step.grounds)
      end

      def spawn(step, now)
        listeners = step.role == :worker ? @port.listeners_for(step.nr, workers: @roster.target) : []
        handle = ask(step.mold, role: step.role, nr: step.nr, generation: step.mold.generation,
                                deadline: now + @settings.spawn_timeout,
                                descriptors: { listeners: listeners }.reject { |_, ios| ios.empty? },
                                first_request: step.mold.generation >= @roster.first_requests_from)
        handle.listeners = listeners.map(&:fileno)
        @roster.trial = handle if step.trial
      end

      # It has no listeners, and none of the slots that serve.
      def rehearse(step, now)
        @roster.rehearsal_due = false
        ask(step.mold, role: :worker, purpose: :rehearsal, nr: step.nr, generation: step.mold.generation,
                       deadline: now + @settings.spawn_timeout)
      end

      # No client is served yet: the mold that was booted with other parameters can exit.
      def refit(worker, now)
        @roster.gc_unmeasured = false # there is one try
        @spawner.fit(worker.row.allocations)
        mold = @roster.mold
        @roster.mold = nil
        end_rehearsal(now)
        retire(mold, now)
      end

      def end_rehearsal(now)
        @roster.rehearsal_due = false
        worker = @roster.rehearsal
        retire(worker, now) if worker
      end

      # Sends the child's end of a new channel to the process that is to fork the child. When that process is gone, or
      # its channel full, the end is closed again, which reads as a child that was never forked.
      def ask(parent, role:, generation:, deadline:, purpose: nil, nr: nil, descriptors: {}, first_request: false)
        ours, theirs = @system.channel_pair
        handle = enlist(role, generation, ours, deadline, purpose: purpose, nr: nr, parent: parent)
        message = Control::Messages::Spawn.new(role: role, purpose: purpose, nr: nr, generation: generation,
                                               row: handle.row.index, first_request: first_request)
        parent.channel.send(message, descriptors: { channel: theirs.to_io, **descriptors })
        handle
      ensure
        theirs&.close
      end

      def enlist(role, generation, channel, deadline, **identity)
        row = @rows.take(role: role, nr: identity[:nr], generation: generation)
        @roster.add(Handle.new(role: role, generation: generation, row: row, channel: channel, deadline: deadline,
                               **identity))
      end

      def commit(step, now)
        candidate = step.candidate
        old = @roster.mold
        @roster.refork_wanted = false if candidate.generation > @roster.generation
        @roster.mold = candidate
        @roster.generation = candidate.generation
        @roster.candidate = @roster.trial = nil
        @roster.replacements.succeeded
        @roster.killed_replacements = 0
        @roster.workers.each { |worker| worker.promotions = 0 }
        @board.generation = candidate.generation
        @log.info("mold committed", **candidate.to_log)
        warn_of_unsafe_application unless candidate.row.fork_safe?
        @roster.booted!
        end_rehearsal(now)
        @roster.rehearsal_due = step.rehearse
        retire(old, now) if old
      end

      def warn_of_unsafe_application
        @log.warn("no reforks: no_longer_fork_safe! was called while the application was loaded")
      end

      def resize(step)
        @roster.target = @board.workers_count = step.target
        @log.info("number of workers changed", workers: step.target, **step.grounds)
      end

      def abandon(step, now)
        @roster.candidate = @roster.trial = nil
        @roster.mold = nil if step.candidate.equal?(@roster.mold)
        pause = step.at_once ? 0 : @settings.refork_backoff
        note_failed_candidate(step, now, pause)
        @log.error("mold abandoned", **step.candidate.to_log, why: step.reason, again_in: pause)
        retire(step.candidate, now) unless step.candidate.gone?
        end_rehearsal(now)
      end

      def note_failed_candidate(step, now, pause)
        return @roster.reforks.failed(now, pause: pause) if @roster.mold
        return @roster.killed_replacements += 1 if step.at_once

        @roster.replacements.failed(now, pause: pause)
        @roster.killed_replacements = 0
      end

      # The rollout replaces it as it does workers of an old generation: a successor first, where there may be one more.
      def recycle(step)
        step.worker.over_limit = true
        @log.info("recycling a worker", **step.worker.to_log, **step.grounds)
      end

      def retire(handle, now, signal: nil)
        return if handle.leaving? || handle.gone?

        @log.info("retiring a child that got a signal", **handle.to_log, signal: signal) if signal
        loading = handle.mold? && handle.starting?
        tell_to_leave(handle, Control::Messages::Stop, now)
        signal(handle, :TERM) if loading # it does not read its channel before it is ready
      end

      # Clients in a queue that outlives the server, such as systemd's, are left to its successor.
      def drain(handle, now)
        return retire(handle, now) if @port.all_borrowed?

        tell_to_leave(handle, Control::Messages::Drain, now + @settings.timeout)
      end

      # The time covers the client in hand and the user's exit hook. One that still starts has no client, and no more
      # time than it had to get ready. A channel is never so full that such a message is lost: at most a Spawn lies in
      # it.
      def tell_to_leave(handle, message, from)
        handle.channel.send(message.new)
        handle.leave_deadline = from + @settings.longest_turn
        handle.deadline = handle.leave_deadline unless handle.starting? && handle.deadline < handle.leave_deadline
        handle.move(:leaving)
      end

      # First with the signal that the user chose, a second later with KILL.
      def end_child(handle, reason, now)
        again = !handle.ended_for.nil?
        record_end(handle, reason, now + Watchdog::GRACE)
        give_time_to_children(handle, now)
        return signal(handle, :KILL) if again

        @log.error("killing a child", **handle.to_log, why: reason) unless reason == :shutdown
        @hooks.choose_signal(handle, reason) { |name| signal(handle, name) }
      end

      def record_end(handle, reason, deadline)
        handle.ended_for ||= reason
        handle.move(:leaving) unless handle.leaving?
        handle.deadline = deadline
      end

      # The children that it was asked to fork are late through its fault. Their channels end with it, unless a middle
      # process holds them: then this is how long it may.
      def give_time_to_children(handle, now)
        children = @roster.handles.select { |child| child.requested? && child.parent.equal?(handle) }
        children.each { |child| child.deadline = now + @settings.spawn_timeout }
      end
    end
  end
end
