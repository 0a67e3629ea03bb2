# frozen_string_literal: true

require "coppice/board"
require "coppice/os/clock"
require "coppice/stats/records"

module Coppice
  class Stats
    # The releases of the application: the one that runs, the roll that is under way, whether a rollback needs a boot,
    # and what was asked for before.
    class Releases
      include Records

      LOOKS = 3 # at the record of the running release, while the monitor overwrites it

      # processes: as Processes#to_a has them.
      #: (Board, Array[Hash[Symbol, untyped]]) -> void
      def initialize(board, processes)
        @board = board
        @processes = processes
      end

      #: () -> Hash[Symbol, untyped]
      def to_h
        history = newest(:release_record, @board.releases_count, Board::RELEASES_KEPT).map { |values| entry(values) }
        { running: running, roll: roll(history.first), rollback: rollback, counts: counts, history: history }
      end

      private

      def running
        values = running_values or return
        { number: values[:number], revision: text(values[:revision]), directory: text(values[:directory]),
          since: (values[:time_ms] / 1000.0) + micro(values[:decided_us]).to_f }
      end

      # nil before the monitor has noted it.
      def running_values
        LOOKS.times do
          record = @board.running_release
          values = record.to_h
          return values if values[:sequence].positive? && record.sequence == values[:sequence]
        end
        nil
      end

      def entry(values)
        outcome = Board::ROLL_OUTCOMES.fetch(values[:outcome] - 1) if values[:outcome].positive?
        { kind: Board::ROLL_KINDS.fetch(values[:kind]), outcome: outcome, number: positive(values[:number]),
          revision: text(values[:revision]), directory: text(values[:directory]),
          generation: (values[:generation] if outcome == "committed"), time: values[:time_ms] / 1000.0,
          seconds: micro(values[:decided_us]), asked_by: text(values[:asked_by]), reason: text(values[:reason]),
          canary: canary(values) }
      end

      def canary(values)
        wanted, requests, failed = values.values_at(:canary_wanted, :canary_requests, :canary_failed)
        { wanted: wanted, requests: requests, failed: failed } if wanted.positive? || requests.positive?
      end

      # The last entry, until its release has all workers; nil when nothing is under way.
      def roll(last)
        return if last.nil? || last[:outcome] == "given_up"

        phase = last[:outcome] ? rollout_of(last) : phase_of(last)
        return unless phase

        { phase: phase, age: [Time.now.to_f - last[:time], 0].max,
          workers_left: (workers_of_others(last) if last[:outcome]),
          **last.slice(:kind, :number, :revision, :directory, :time, :asked_by, :canary) }
      end

      def rollout_of(last) = ("rollout" if last[:kind] != "start" && workers_of_others(last).positive?)

      def workers_of_others(last)
        @processes.count do |process|
          process[:role] == "worker" && process[:release] && process[:release] != last[:number]
        end
      end

      def phase_of(last)
        return "checking" unless last[:number]

        mold = candidate(last[:number]) or return "waiting"
        return "booting" if mold[:state] == "starting"

        last[:canary] && trial_ready?(mold) ? "canary" : "trial"
      end

      # The kept mold of an earlier release is none: its generation is lower.
      def candidate(number)
        @processes.find do |process|
          process[:role] == "mold" && process[:release] == number && process[:state] != "leaving" &&
            process[:generation] > @board.generation
        end
      end

      def trial_ready?(mold)
        @processes.any? do |process|
          process[:role] == "worker" && process[:generation] == mold[:generation] && process[:state] != "starting"
        end
      end

      # Its mold is the only one of an earlier generation that is not told to exit.
      def rollback
        until_ms = @board.rollback_ms
        return unless until_ms.positive?

        mold = @processes.find do |process|
          process[:role] == "mold" && process[:state] != "leaving" && process[:generation] < @board.generation
        end
        { number: mold && mold[:release], time_left: [until_ms - OS::Clock.now_ms, 0].max / 1000.0 }
      end

      def counts
        Board::COUNTED_ROLLS.zip(@board.rolls).map do |(kind, outcome), count|
          { kind: kind, outcome: outcome, count: count }
        end
      end
    end
  end
end
