# frozen_string_literal: true

require "coppice/monitor/molds/canary"
require "coppice/monitor/molds/canary/traffic"
require "coppice/os/throttle"

module Coppice
  class Monitor
    # Watches the first worker of a candidate while it serves clients beside the others. A new release has the options
    # canary_requests and canary_time; a refork is watched for a shorter time.
    class TrialWatch
      REFORK_REQUESTS = 20
      REFORK_SECONDS = 1.0

      # The workers that the trial is compared with.
      #: (Roster) -> Array[Handle]
      def self.others(roster) = roster.serving_workers.reject { |worker| worker.equal?(roster.trial) }

      # baseline: what the running release has counted before.
      #: (Roster, Float, baseline: Canary::Counts) -> void
      def initialize(roster, now, baseline:)
        @roster = roster
        @trial = roster.trial
        @looks = OS::Throttle.new(Board::TRIAL_LOOK_SECONDS)
        @counts = Canary::Counts::NONE
        @canary = canary(now, baseline)
        @traffic = Canary::Traffic.new(last_hour: baseline, seconds: @canary.ends_at - now)
        @first = self.class.others(roster).to_h { |worker| [worker, Canary::Counts.of(worker.row)] }
        @last = @first.dup
      end

      #: (Handle?) -> bool
      def of?(trial) = @trial.equal?(trial)

      # What the trial had counted at the last look; nothing before the first.
      attr_reader :counts #: Canary::Counts

      # Looks again, unless it has looked a moment ago. nil while it waits for more requests. What the other workers
      # have counted takes time to add up, and says nothing new as long as the trial has counted nothing.
      #: (Float) -> Canary::Verdict?
      def verdict(now)
        return unless @looks.claim(now)

        before, @counts = @counts, Canary::Counts.of(@trial.row)
        traffic_ended = traffic_ended?(now)
        return unless counts != before || traffic_ended || now >= @canary.ends_at

        @canary.verdict(now, counts, counts_beside, traffic_ended: traffic_ended)
      end

      private

      def canary(now, baseline)
        if @roster.of_release?(@trial)
          return Canary.new(requests: REFORK_REQUESTS, seconds: REFORK_SECONDS, started_at: now, baseline: baseline)
        end

        settings = @trial.release.settings
        Canary.new(requests: settings.canary_requests, seconds: settings.canary_time, started_at: now,
                   baseline: baseline, first_requests: @roster.first_requests_beside(@trial))
      end

      # The trial may still be at the last request. What others are at for long, such as a stream, is not waited for.
      def traffic_ended?(now)
        begun = @roster.serving_workers.map(&:row).sum { |row| row.requests + (row.started_ms.positive? ? 1 : 0) }
        @traffic.ended?(now, begun) && @trial.row.started_ms.zero?
      end

      # Since the start, or since their forks; also of those that have exited meanwhile.
      def counts_beside
        self.class.others(@roster).each { |worker| @last[worker] = Canary::Counts.of(worker.row) }
        @last.sum(Canary::Counts::NONE) { |worker, counts| counts - @first.fetch(worker, Canary::Counts::NONE) }
      end
    end
  end
end
