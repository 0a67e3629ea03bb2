# frozen_string_literal: true

require "coppice/monitor/kernel/introduction"
require "coppice/monitor/rolls/release_actions"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # The part of Actions that is about molds: how they are booted and forked, committed and given up.
    class MoldActions
      # What another try may not meet again, when a process is spawned.
      TRANSIENT = [Errno::EAGAIN, Errno::EMFILE, Errno::ENFILE, Errno::ENOMEM].freeze

      # The block tells a child to exit.
      #: (Context, forks: ForkRequests) { (Handle, Float) -> void } -> void
      def initialize(context, forks:, &retire)
        @system = context.system
        @roster = context.roster
        @succession = context.roster.succession
        @board = context.board
        @port = context.port
        @records = context.records
        @log = context.log
        @forks = forks
        @spawner = context.molds
        @retire = retire
        @releases = ReleaseActions.new(context, &retire)
      end

      #: (Step, Float) -> void
      def carry_out(step, now)
        case step
        when Steps::ColdBoot then cold_boot(step, now)
        when Steps::Promote then promote(step, now)
        when Steps::Rehearse then rehearse(step, now)
        when Steps::BootWithMeasuredGC then boot_with_measured_gc(now)
        when Steps::Commit then commit(step, now)
        when Steps::Abandon then abandon(step, now)
        when Steps::GiveUpRefork then give_up_refork(step.reason)
        when Steps::Reinstate then reinstate(step, now)
        when Steps::EndKept then @releases.end_kept(step.reason, now)
        when Steps::GiveUpRoll then @releases.give_up(step.reason, wanted: step.wanted, message: step.message)
        else raise Bug, "no action for #{step.inspect}"
        end
      end

      private

      def settings = @roster.settings

      def retire(handle, now) = @retire.call(handle, now)

      def cold_boot(step, now)
        release = step.release || @roster.release
        spawned = @spawner.spawn(release)
        deadline = now + release.settings.boot_timeout
        kind = ChildKind.new(:mold, generation: step.generation)
        handle = @forks.add(kind, spawned.channel, deadline, release: release)
        handle.pid = spawned.pid
        handle.note_fork(now)
        @succession.start(handle)
        @records.promotions.started(handle, reason_to_boot(step), nil, now)
        @log.info("booting the application", **handle.to_log, **release.to_log.slice(:release), **spawned.to_log)
        introduce(handle)
      rescue SystemCallError => error
        raise if !@roster.booted? || TRANSIENT.include?(error.class) # neither directory nor Ruby comes back by itself

        step.release ? @releases.give_up(error.message) : note_failed_boot(error, now)
      ensure
        spawned&.channel&.close unless handle
      end

      def introduce(mold)
        Introduction.of(mold, mold.pid, system: @system, log: @log) do
          @spawner.introduce(mold, board: @board, port: @port)
        end
      end

      # The directory of the running release may be removed. A worker that serves can still become the mold.
      def note_failed_boot(error, now)
        @log.error("the running release cannot be booted", error: error.message, again_in: settings.refork_backoff)
        @succession.failed(now, pause: settings.refork_backoff)
        end_rehearsal(now)
      end

      def reason_to_boot(step)
        return :roll if step.release
        return :growth if @roster.mold

        @roster.serving? ? :mold_lost : :boot
      end

      def promote(step, now)
        time_to_fork = settings.longest_turn + settings.spawn_timeout
        step.worker.promotions += 1
        kind = ChildKind.new(:mold, generation: step.generation, purpose: (:temporary if step.temporary))
        candidate = @forks.call(step.worker, kind, deadline: now + time_to_fork)
        @succession.start(candidate)
        @records.promotions.started(candidate, step.reason_fields[:why], step.worker, now)
        @log.info("promotion started", **step.worker.to_log, requests: step.worker.requests_count,
                  new_gen: step.generation, **step.reason_fields)
      end

      def give_up_refork(reason)
        @succession.give_up_refork(reason)
        @log.warn("refork given up", why: reason)
      end

      # The rehearsed worker has no listeners, and its slot is none of those that serve.
      def rehearse(step, now)
        @succession.rehearsal_due = false
        kind = ChildKind.new(:worker, generation: step.mold.generation, nr: step.nr, purpose: :rehearsal)
        @forks.call(step.mold, kind, deadline: @forks.deadline(step.mold, now))
      end

      # No client is served yet, so the mold that was booted with other parameters can exit.
      def boot_with_measured_gc(now)
        @succession.gc_unmeasured = false # one attempt is enough
        mold = @succession.mold
        @log.info("booting once more, with a fitted garbage collector", **mold.to_log)
        end_rehearsal(now)
        retire(mold, now)
      end

      def end_rehearsal(now)
        @succession.rehearsal_due = false
        worker = @roster.rehearsal
        retire(worker, now) if worker
      end

      def commit(step, now)
        candidate = step.candidate
        former = @succession.commit(now)
        adopt_handshakes(candidate)
        @roster.workers.each { |worker| worker.promotions = 0 }
        @board.generation = candidate.generation
        @records.promotions.committed(candidate, now)
        same_release = @roster.of_release?(candidate)
        canary = step.verdict if same_release # that of another release has a line of its own
        @log.info("mold committed", **candidate.to_log, **canary&.to_log.to_h)
        warn_of_unsafe_application unless candidate.row.fork_safe?
        end_rehearsal(now)
        @succession.rehearsal_due = step.rehearse
        return @releases.committed(candidate, former, step.verdict, now) unless same_release

        retire(former, now) if former
      end

      def reinstate(step, now)
        end_rehearsal(now)
        @releases.reinstate(step.mold, now)
        adopt_handshakes(step.mold)
        @roster.spawns.succeeded
        @roster.spawns.end_pause
      end

      def adopt_handshakes(mold)
        return unless @roster.lobby_wanted

        before = @roster.handshakes.detected
        @roster.handshakes.adopt(@roster.settings_of(mold), mold)
        return if before == (detected = @roster.handshakes.detected)

        detected.each { |service| @log.info("WebSockets go to a service", path: service.path, service: service.name) }
      end

      def warn_of_unsafe_application
        @log.warn("no reforks: no_longer_fork_safe! was called while the application was loaded")
      end

      def abandon(step, now)
        trial = @succession.trial
        pause = settings.refork_backoff unless step.at_once
        message = [step.candidate, trial].compact.filter_map(&:failure).first&.message
        @succession.abandon(step.candidate, step.reason, now, pause: pause, message: message,
                                                              of_release: @roster.of_release?(step.candidate))
        @records.promotions.abandoned(step.candidate)
        @board.refused_commits += 1 if step.refused
        log_abandonment(step, pause)
        @releases.abandoned(step, trial, now)
        retire(step.candidate, now) unless step.candidate.gone?
        end_rehearsal(now)
      end

      def log_abandonment(step, pause)
        final = step.wanted || !@roster.booted? || !@roster.of_release?(step.candidate)
        again = { again_in: pause || 0 } unless final
        @log.public_send(step.wanted ? :info : :error, "mold abandoned",
          **step.candidate.to_log, why: step.reason, **again.to_h, **step.verdict&.fields.to_h)
      end
    end
  end
end
