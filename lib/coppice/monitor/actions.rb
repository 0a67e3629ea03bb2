# frozen_string_literal: true

require "coppice/control/messages"
require "coppice/monitor/handle"
require "coppice/monitor/steps"

# Runs in the monitor.

module Coppice
  class Monitor
    # Carries out what was decided: the only file of the monitor that spawns, signals
    # and sends. Each step is put down in the roster at once, so that the next
    # decision knows of it.
    class Actions
      SYSTEM_PAUSE = 1.0 # seconds until the next try when the system gives no descriptor or process

      #: (monitor: Monitor, system: System, roster: Roster, rows: RowPool, settings: untyped, log: untyped) -> void
      def initialize(monitor:, system:, roster:, rows:, settings:, log:)
        @monitor = monitor
        @system = system
        @roster = roster
        @rows = rows
        @settings = settings
        @log = log
      end

      #: (Array[Step], Float) -> void
      def perform(steps, now)
        steps.each { |step| carry_out(step, now) }
      rescue SystemCallError => error # no descriptor, no memory or no process left: the rest of the machine may recover
        @log.error("the system refuses", error: error.message, again_in: SYSTEM_PAUSE)
        @roster.spawn_not_before = @roster.mold_not_before = @roster.refork_not_before = now + SYSTEM_PAUSE
      end

      # A signal to a child that may have ended in this instant.
      #: (Handle, Symbol | Integer) -> void
      def signal(handle, name)
        handle.vanished = true if handle.pid && !handle.gone? && !@system.signal(handle.pid, name)
      end

      # Ends a child at once; the watchdog sees to those that do not heed it by the deadline.
      #: (Handle, Float) -> void
      def interrupt(handle, deadline)
        put_down_end(handle, :shutdown, deadline)
        signal(handle, :INT)
      end

      private

      def carry_out(step, now)
        case step
        when Steps::ColdBoot then cold_boot(step, now)
        when Steps::Promote then promote(step, now)
        when Steps::Spawn then spawn(step, now)
        when Steps::Commit then commit(step.candidate, now)
        when Steps::Resize then resize(step)
        when Steps::Abandon then abandon(step, now)
        when Steps::Rehearse then rehearse(step, now)
        when Steps::Refit then refit(step.worker, now)
        when Steps::Recycle then recycle(step)
        when Steps::Warn then @log.warn(step.message, **step.fields)
        when Steps::Retire then retire(step.handle, now, signal: step.signal)
        when Steps::RefuseClients then @monitor.refuse_clients
        when Steps::Drain then drain(step.handle, now)
        when Steps::End then end_child(step.handle, step.reason, now)
        when Steps::GiveUp then @monitor.give_up(step.reason)
        else raise Bug, "no action for #{step.inspect}"
        end
      end

      def cold_boot(step, now)
        ours, theirs = @system.channel_pair
        environment = @monitor.mold_environment
        pid = @system.spawn_mold(theirs, own_group: @settings.setpgid, environment: environment.added)
        handle = enlist(:mold, step.generation, ours, now + @settings.boot_timeout)
        handle.pid = pid
        handle.forked_at = now
        handle.move(:forked)
        @roster.candidate = handle
        @log.info("booting the application", **handle.to_log, **environment.to_log)
        send_boot(handle)
      ensure
        theirs&.close
        ours&.close unless handle
      end

      def send_boot(handle)
        message = Control::Messages::Boot.new(protocol: Control::PROTOCOL, generation: handle.generation, row: handle.row.index,
                                              listener_names: @monitor.listener_names, borrowed_queues: @monitor.borrowed_queues?)
        handle.channel.send(message, descriptors: @monitor.boot_files)
      end

      def promote(step, now)
        patience = @settings.longest_turn + @settings.spawn_timeout
        step.worker.promotions += 1
        @roster.candidate = ask(step.worker, role: :mold, generation: step.generation, deadline: now + patience)
        @log.info("promoting", **step.worker.to_log, requests: step.worker.requests_count, new_gen: step.generation,
                  **step.grounds)
      end

      def spawn(step, now)
        listeners = step.role == :worker ? @monitor.listeners_for(step.nr) : []
        handle = ask(step.mold, role: step.role, nr: step.nr, generation: step.mold.generation,
                                deadline: now + @settings.spawn_timeout, listeners: listeners,
                                first_request: step.mold.generation >= @roster.first_requests_from)
        handle.listeners = listeners.map(&:fileno)
        @roster.trial = handle if step.trial
      end

      # It has no listeners, by which it knows what it is for, and none of the slots that serve.
      def rehearse(step, now)
        @roster.rehearsal = ask(step.mold, role: :worker, nr: step.nr, generation: step.mold.generation,
                                           deadline: now + @settings.spawn_timeout)
        @roster.rehearsal.listeners = []
      end

      # Nobody is served yet: what was booted too early can go.
      def refit(worker, now)
        @monitor.fit(worker.row.allocations)
        mold = @roster.mold
        @roster.mold = nil
        end_rehearsal(now)
        retire(mold, now)
      end

      def end_rehearsal(now)
        worker = @roster.rehearsal
        @roster.rehearsal = nil
        retire(worker, now) if worker.is_a?(Handle)
      end

      # Sends the child's end of a new channel to who shall fork the child. When that one is
      # gone, or its channel full, the end is closed again, and read as a child that never came.
      def ask(parent, role:, generation:, deadline:, nr: nil, listeners: [], first_request: false)
        ours, theirs = @system.channel_pair
        handle = enlist(role, generation, ours, deadline, nr: nr, parent: parent)
        message = Control::Messages::Spawn.new(role: role, nr: nr, generation: generation, row: handle.row.index,
                                               first_request: first_request)
        parent.channel.send(message, descriptors: [theirs.to_io, *listeners])
        handle
      ensure
        theirs&.close
      end

      def enlist(role, generation, channel, deadline, nr: nil, parent: nil)
        row = @rows.take(role: role, nr: nr, generation: generation)
        @roster.add(Handle.new(role: role, nr: nr, generation: generation, row: row, channel: channel, deadline: deadline, parent: parent))
      end

      def commit(candidate, now)
        old = @roster.mold
        @roster.refork_wanted = false if candidate.generation > @roster.generation
        @roster.mold = candidate
        @roster.generation = candidate.generation
        @roster.candidate = @roster.trial = nil
        @roster.failed_replacements = @roster.killed_replacements = 0
        @roster.workers.each { |worker| worker.promotions = 0 }
        @monitor.generation_committed(candidate.generation)
        @log.info("mold committed", **candidate.to_log)
        @log.warn("no reforks: no_longer_fork_safe! was called while the application was loaded") unless candidate.row.fork_safe?
        @roster.booted!
        end_rehearsal(now)
        @roster.rehearsal = :due if candidate.cold? && @settings.warm_up?
        retire(old, now) if old
      end

      def resize(step)
        @roster.target = step.workers
        @monitor.workers_wanted(step.workers)
        @log.info("workers wanted", count: step.workers, **step.grounds)
      end

      def abandon(step, now)
        @roster.candidate = @roster.trial = nil
        @roster.mold = nil if step.candidate.equal?(@roster.mold)
        pause = step.at_once ? 0 : @settings.refork_backoff
        note_failed_candidate(step, now + pause)
        @log.error("mold abandoned", **step.candidate.to_log, why: step.reason, again_in: pause)
        retire(step.candidate, now) unless step.candidate.gone?
        end_rehearsal(now)
        @monitor.give_up("the application could not be booted") unless @roster.booted?
      end

      def note_failed_candidate(step, again)
        return @roster.refork_not_before = again if @roster.mold
        return @roster.killed_replacements += 1 if step.at_once

        @roster.mold_not_before = again
        @roster.failed_replacements += 1
        @roster.killed_replacements = 0
      end

      # The rollout replaces it as it does workers of an old generation: a successor first, where there may be one more.
      def recycle(step)
        step.worker.worn = true
        @log.info("recycling", **step.worker.to_log, **step.grounds)
      end

      def retire(handle, now, signal: nil)
        return if handle.leaving? || handle.gone?

        @log.info("retiring a child that got a signal", **handle.to_log, signal: signal) if signal
        loading = handle.mold? && handle.starting?
        tell_to_leave(handle, Control::Messages::Stop, now)
        signal(handle, :TERM) if loading # it does not read its channel before it is ready
      end

      # A queue that outlives us, such as systemd's, is for our successor to serve.
      def drain(handle, now)
        return retire(handle, now) if @monitor.queues_stay?

        tell_to_leave(handle, Control::Messages::Drain, now + @settings.timeout)
      end

      # The time covers the client in hand and the user's exit hook. One that still starts has no client, and no more time
      # than it had to get ready. A channel is never so full that such a message is lost: at most a Spawn lies in it.
      def tell_to_leave(handle, message, from)
        handle.channel.send(message.new)
        handle.leave_deadline = from + @settings.longest_turn
        handle.deadline = handle.leave_deadline unless handle.starting? && handle.deadline < handle.leave_deadline
        handle.move(:leaving)
      end

      # First the signal that the user chose, then the one that cannot be refused.
      def end_child(handle, reason, now)
        again = !handle.ended_for.nil?
        put_down_end(handle, reason, now + Watchdog::GRACE)
        give_time_to_children(handle, now)
        return signal(handle, :KILL) if again

        @log.error("ending a child", **handle.to_log, why: reason) unless reason == :shutdown
        @monitor.ending(handle, reason) { |name| signal(handle, name) }
      end

      def put_down_end(handle, reason, deadline)
        handle.ended_for ||= reason
        handle.move(:leaving) unless handle.leaving?
        handle.deadline = deadline
      end

      # Those it was asked to fork are not late by their own fault. Their channels end with
      # it, unless a middle process holds them: then this is how long it may.
      def give_time_to_children(handle, now)
        children = @roster.handles.select { |child| child.requested? && child.parent.equal?(handle) }
        children.each { |child| child.deadline = now + @settings.spawn_timeout }
      end
    end
  end
end
