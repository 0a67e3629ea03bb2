# frozen_string_literal: true

require "coppice/errors"
require "coppice/log/text"
require "coppice/monitor/rolls/roll"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Takes what `coppice roll`, `coppice rollback` and USR1 ask for, and prepares it until a release can be booted.
    # What follows is decided by ReleaseSwitch and Promotion.
    class Rolls
      # A boot takes up to so much of the last one's peak: with less to spare the log warns.
      COMFORTABLE = 1.5

      LONGEST_MESSAGE = 1000 # characters of it that the log and the user get, as from the process that checks a release

      #: (Context, actions: Actions) -> void
      def initialize(context, actions:)
        @system = context.system
        @roster = context.roster
        @records = context.records
        @log = context.log
        @releases = context.releases
        @actions = actions
      end

      # Begins to roll to the release in a directory. force: also when memory seems too short. Raises Error when it
      # cannot begin.
      #: (?String?, asked_by: String, ?force: bool) -> Roll
      def roll(name = nil, asked_by:, force: false)
        refuse_second_roll
        directory = @releases.resolve(name)
        begin_roll(:roll, directory, asked_by: asked_by, force: force)
      end

      # USR1. Nobody waits for an answer, so the log says why there is no roll.
      #: () -> void
      def roll_by_signal
        roll(asked_by: "USR1")
      rescue Error => error
        @log.error("no roll", why: error.message)
        @roster.roll_refused_at = @system.now
      end

      # Gives up the roll that is under way; without one it goes back to the release before. Raises Error when there is
      # none.
      #: (asked_by: String) -> Roll
      def rollback(asked_by:)
        roll = @roster.roll
        under_way = roll && !roll.decided? && !roll.rollback?
        return give_up("rollback was asked for by #{asked_by}", wanted: true) if under_way

        refuse_second_roll
        earlier = @roster.earlier_release or raise Error, "there is no release before release #{@roster.release.number}"
        kept = @roster.kept if @roster.kept&.ready?
        begin_roll(:rollback, earlier.directory, asked_by: asked_by, release: kept&.release)
      end

      # What the monitor's loop waits for.
      #: () -> Array[IO]
      def readers = @check ? [@check.reader] : []

      # Does what can be done without waiting.
      #: () -> void
      def advance
        @releases.enter
        return unless @check

        result = @check.result or return
        prepare(@roster.roll, result)
        end_check
      rescue UserCodeError => error # the monitor must not die of a release
        refuse(error)
      end

      #: () -> void
      def close = end_check

      private

      def refuse_second_roll
        raise Error, "the server is stopping" if @roster.stopping

        roll = @roster.roll
        return if roll.nil? || roll.decided?

        raise Error, "a #{roll.kind} to #{roll.directory} is under way; `coppice rollback` gives up a roll"
      end

      def begin_roll(kind, directory, asked_by:, release: nil, force: false)
        @check = @releases.check(directory) unless release
        @force = force
        roll = Roll.new(kind: kind, directory: directory, asked_by: asked_by, asked_at: @system.now, release: release)
        @log.info("#{kind} requested", **roll.to_log)
        @roster.reforks.end_pause # the pause is for the server's own tries
        @records.rolls.started(roll)
        @roster.roll = roll
      end

      def prepare(roll, result)
        number = roll.rollback? ? @roster.earlier_release.number : @roster.next_release_number
        release = @releases.build(@check, result, number: number, running: @roster.release)
        check_memory(roll, release)
        roll.release = release
        @records.rolls.prepared(roll)
        @log.info("release is prepared", **release.to_log, ruby: result.ruby_version)
      end

      # Two applications are in memory for a while. A rollback is not refused: what serves is worse.
      def check_memory(roll, release)
        needed = @roster.headroom.boot_peak
        left = @system.memory_left_kib
        return if needed.nil? || left.nil? || @force

        left += memory_of_lean_roll if release.settings.roll_strategy == :lean
        figures = { left_mib: left / 1024, last_boot_mib: needed / 1024 }
        raise Error, too_little(figures) if left < needed && !roll.rollback?
        return if left >= needed * COMFORTABLE

        @log.warn("memory is short for a second application", **figures)
      end

      def too_little(figures)
        "a boot takes #{figures[:last_boot_mib]} MiB (as the last one did), and only #{figures[:left_mib]} MiB of " \
          "memory are left. Make room, set roll_strategy :lean, or use `coppice roll --force`"
      end

      # What the workers have that exit before the boot.
      def memory_of_lean_roll
        count = ReleaseSwitch.workers_of_lean_roll(@roster)
        @roster.ready_workers.map { |worker| worker.row.private_kib }.min(count).sum
      end

      def refuse(error)
        return give_up(line(error.reason), message: line(error.message)) if error.is_a?(Error)

        @log.exception("a release could not be prepared", error)
        give_up(error.class.to_s, message: line("#{error.class}: #{error.message}"))
      end

      def line(text) = Log::Text.valid(text).strip.gsub(/\s*\n\s*/, "; ")[0, LONGEST_MESSAGE]

      def give_up(reason, wanted: false, message: nil)
        end_check
        @actions.perform([Steps::GiveUpRoll.new(reason, wanted, message)], @system.now)
        @roster.roll
      end

      def end_check
        @check&.close
        @check = nil
      end
    end
  end
end
