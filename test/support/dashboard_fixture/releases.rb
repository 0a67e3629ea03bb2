# frozen_string_literal: true

module Coppice
  class DashboardFixture
    # The releases of the server that does not exist.
    class Releases
      WINDOW = 600 # seconds in which a rollback needs no boot

      def initialize(time)
        start = entry("start", "committed", 1, time, asked_by: nil, seconds: 0.0, generation: 0, canary: nil)
        @history = [start]
        @since = time
      end

      def running = @history.find { |entry| entry[:outcome] == "committed" }

      # Its canary has failed.
      def give_up(time)
        @history.unshift(entry("roll", "given_up", highest + 1, time - 41, seconds: 41.2, generation: nil,
          canary: { wanted: 200, requests: 87, failed: 9 }, reason: "9 of 87 requests failed, 1 of 2410 before"))
      end

      def commit(time, generation)
        @history.unshift(entry("roll", "committed", highest + 1, time - 33, seconds: 33.4, generation: generation,
          canary: { wanted: 200, requests: 200, failed: 1 }))
        @since = time
      end

      # Number of the release of a generation.
      def of(generation)
        @history.find { |entry| entry[:outcome] == "committed" && entry[:generation] <= generation }[:number]
      end

      def to_h(time, roll)
        rollback = { number: 1, time_left: @since + WINDOW - time } if running[:number] > 1 && time < @since + WINDOW
        { running: { **running.slice(:number, :revision, :directory), since: @since }, roll: roll, rollback: rollback,
          counts: [], history: @history }
      end

      private

      def highest = @history.filter_map { |entry| entry[:number] }.max

      def entry(kind, outcome, number, time, seconds:, generation:, canary:, asked_by: "uid 1000 (pid 2210)",
                reason: nil)
        revision = %w[9c41be0 d0a7731 4f2a77e][number - 1]
        { kind: kind, outcome: outcome, number: number, revision: revision, directory: "/srv/shop/releases/#{number}",
          generation: generation, time: time, seconds: seconds, asked_by: asked_by, reason: reason, canary: canary }
      end
    end
  end
end
