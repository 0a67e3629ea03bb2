# frozen_string_literal: true

module Coppice
  class Monitor
    # Tells the user who waits for a roll what it has come to: a line for each stage, once it is reached. A stage that
    # begins and ends between two looks is left out.
    class RollProgress
      #: (Roll, roster: Roster, board: Board) -> void
      def initialize(roll, roster:, board:)
        @roll = roll
        @roster = roster
        @board = board
      end

      # What is new since the last call.
      #: () -> Array[String]
      def lines
        return [] if @roll.decided?

        before, @stage = @stage, stage
        [nil, before].include?(@stage) ? [] : [send(@stage)]
      end

      private

      # The phases of Stats::Releases, and one more while the first worker warms up. nil for a rollback to a mold that
      # was kept: there is nothing to wait for.
      def stage
        return :checking unless @roll.release
        return if reinstating?

        mold = @roster.candidate
        return :waiting unless mold && @roll.awaits?(mold.release)
        return :booting unless mold.ready?

        return :canary if @board.trial_watched == 1

        @roster.trial&.warms_up? ? :warm_up : :trial
      end

      def reinstating? = @roll.rollback? && @roster.kept&.release.equal?(@roll.release)

      def checking = "checking the release"
      def waiting = "waiting until it can be booted"
      def booting = "booting #{@roll.release}"
      def trial = "starting its first worker"
      def warm_up = "warming up its first worker"

      def canary
        settings = @roll.release.settings
        "canary: its first worker serves clients, #{settings.canary_requests} requests or " \
          "#{settings.canary_time} s, less if nobody asks"
      end
    end
  end
end
