# frozen_string_literal: true

require "coppice/control/ready_workers"

module Coppice
  class Observer
    # Judges the server by the Hash of Stats: whether it should be restarted (live), and whether it should get requests
    # (ready). A verdict says why, in one line.
    class Health
      Verdict = Struct.new(:good, :reason)

      # The monitor's loop turns at least once a second. When it has not for so many seconds, it is stopped or hangs.
      BEAT_SECONDS = 10

      #: (max_waiting: Integer) -> void
      def initialize(max_waiting:)
        @max_waiting = max_waiting
      end

      # While the monitor runs, and a worker serves if any should.
      #: (Hash[Symbol, untyped]) -> Verdict
      def live(stats)
        server = stats.fetch(:server)
        return bad(stopped(server)) if stopped?(server)
        return bad("no worker is ready") if server[:state] == "serving" && server[:workers_ready].zero?

        good("the server is #{server[:state]}, #{ready_workers(server)}")
      end

      # While the server accepts clients, and not too many of them wait.
      #: (Hash[Symbol, untyped]) -> Verdict
      def ready(stats)
        server = stats.fetch(:server)
        problem = problem(server) || cannot_accept(stats) || overload(stats)
        return bad(problem) if problem
        return good("all #{server[:workers_ready]} ready workers are busy, #{waiting(server)}") if all_busy?(server)

        good("#{ready_workers(server)}, #{server[:workers_busy]} busy, #{waiting(server)}")
      end

      private

      def problem(server)
        return "the server is stopping" if server[:state] == "stopping"
        return stopped(server) if stopped?(server)
        return "the server is booting: no worker was ready yet" if server[:state] == "booting"

        "no worker is ready" if server[:workers_ready].zero?
      end

      # The lobby's log says why.
      def cannot_accept(stats)
        "the lobby cannot accept connections" if stats.dig(:lobby, :paused)
      end

      # The lobby says itself whether it would refuse one more request, since some may wait beside max_waiting: those
      # that free workers are about to take.
      def overload(stats)
        server, lobby = stats.values_at(:server, :lobby)
        return "#{waiting(server)}, and max_waiting #{@max_waiting} allows no more" if lobby && lobby[:full]

        elsewhere = server[:requests_waiting].to_i - (lobby ? lobby[:waiting] : 0)
        "#{waiting(server)}, more than max_waiting #{@max_waiting}" if elsewhere > @max_waiting
      end

      def stopped?(server) = server[:monitor_beat_age].to_f > BEAT_SECONDS

      def stopped(server)
        "the monitor is stopped or hangs: its loop last turned #{server[:monitor_beat_age].round(1)} s ago"
      end

      def all_busy?(server) = server[:workers_busy] >= server[:workers_ready]

      def ready_workers(server) = "#{Control::ReadyWorkers.text(server)} workers ready"

      def waiting(server) = "#{server[:requests_waiting] || "an unknown number of"} clients waiting"

      def good(reason) = Verdict.new(true, reason)
      def bad(reason) = Verdict.new(false, reason)
    end
  end
end
