# frozen_string_literal: true

module Coppice
  class Monitor
    # The part of MoldActions that is about releases: what a commit means for the release before, and how that one comes
    # back.
    class ReleaseActions
      # The block tells a child to exit.
      #: (Context) { (Handle, Float) -> void } -> void
      def initialize(context, &retire)
        @roster = context.roster
        @board = context.board
        @records = context.records
        @log = context.log
        @retire = retire
      end

      # A mold of another release was committed. former: the one before it. verdict: the canary's.
      #: (Handle, Handle?, Canary::Verdict?, Float) -> void
      def committed(mold, former, verdict, now)
        @roster.roll.canary = verdict
        @roster.enter_release(mold.release, back: @roster.roll.rollback?)
        end_roll(mold)
        keep(former, now)
      end

      # A candidate was abandoned. Its trial serves clients no longer if it runs the code of another release.
      #: (Steps::Abandon, Handle?, Float) -> void
      def abandoned(step, trial, now)
        return if @roster.of_release?(step.candidate)

        @retire.call(trial, now) if trial
        return unless @roster.roll.awaits?(step.candidate.release)

        @roster.roll.canary = step.verdict
        give_up(step.reason, message: @roster.succession.abandoned_for)
      end

      # The roll that is under way ends without its release. wanted: by a user, so that nothing has failed. message: the
      # reason with what may tell a secret.
      #: (String, ?wanted: bool?, ?message: String?) -> void
      def give_up(reason, wanted: false, message: nil)
        roll = @roster.roll
        roll.give_up(reason, message)
        @records.roll_decided(roll)
        @log.public_send(wanted ? :info : :error, "#{roll.kind} given up",
          **roll.to_log, why: reason, **{ error: (message if message != reason) }.compact)
      end

      # The kept mold forks all workers from now on; the mold of the release that it takes back exits.
      #: (Handle, Float) -> void
      def reinstate(mold, now)
        @roster.take_kept
        former = @roster.succession.reinstate(mold, now)
        @board.generation = mold.generation
        @roster.leave_release
        end_roll(mold)
        @retire.call(former, now) if former
      end

      #: (String, Float) -> void
      def end_kept(reason, now)
        @log.info("the mold of the release before exits", **@roster.kept.to_log, why: reason)
        @retire.call(@roster.kept, now)
      end

      private

      def end_roll(mold)
        roll = @roster.roll
        roll.commit
        @board.unsafe_routes = "" # a release has its own
        @records.roll_decided(roll)
        @log.info("release committed", **mold.release.to_log, gen: mold.generation, kind: roll.kind,
                                       **roll.canary&.to_log.to_h)
      end

      # Of a rollback the release that is taken back is not kept.
      def keep(former, now)
        return unless former

        window = @roster.roll.rollback? ? 0 : @roster.release.settings.rollback_window
        return @retire.call(former, now) unless window.positive? && former.ready?

        @roster.keep(former, now + window)
      end
    end
  end
end
