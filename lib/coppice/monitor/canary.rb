# frozen_string_literal: true

require "coppice/monitor/canary/allowed_failures"
require "coppice/monitor/canary/counts"
require "coppice/monitor/canary/first_requests"
require "coppice/monitor/canary/verdict"

module Coppice
  class Monitor
    # Judges a new release by its trial, which serves clients beside the workers of the old release. The trial is
    # rejected as soon as its failures can no longer pass. It passes after so many requests. When the time ends before,
    # it is undecided.
    #
    # The number of failures is compared with one limit for the whole canary, at whatever request it is exceeded. So a
    # look after each request rejects no more equal releases than one look at the end.
    class Canary
      # requests, seconds: of the whole canary, whichever comes first. started_at: monotonic seconds.
      # baseline: what the old release has counted before, such as in its last hour.
      # first_requests: of the old release; nil when they are unknown, as after the server's first boot.
      #: (requests: Integer, seconds: Numeric, started_at: Float, ?baseline: Counts,
      #    ?first_requests: FirstRequests?) -> void
      def initialize(requests:, seconds:, started_at:, baseline: Counts::NONE, first_requests: nil)
        @requests = requests
        @seconds = seconds
        @started_at = started_at
        @baseline = baseline
        @first_requests = first_requests
      end

      # When it ends at the latest (monotonic seconds).
      #: () -> Float
      def ends_at = @started_at + @seconds

      # nil while it waits for more requests. trial, beside: what the trial and the workers of the old release have
      # counted since the start. A trial that exits is no matter of this class: its candidate is abandoned.
      #: (Float, Counts, Counts) -> Verdict?
      def verdict(now, trial, beside)
        return reject(:timeout, trial, beside, "a request was past its deadline") if trial.timeouts.positive?

        allowed = AllowedFailures.new(@baseline, beside)
        judged = judged_requests(now, trial)
        limit = allowed.among(judged)
        if trial.failed > limit
          return too_many_failures(now, trial, beside, limit, allowed.beside_as_well?(trial.failed, judged))
        end

        within_limit(now, trial, beside, limit)
      end

      private

      def enough?(trial) = trial.requests >= @requests
      def ended?(now) = now >= ends_at

      # Before the end the limit is already that of all requests. At the end there are as many as there are.
      def judged_requests(now, trial)
        served = [trial.requests, trial.failed].max
        ended?(now) ? served : [served, @requests].max
      end

      # While the old release fails as well, a short outage of what both use may end in time.
      def too_many_failures(now, trial, beside, limit, beside_as_well)
        failures = "#{trial.failed} of #{trial.requests} requests failed, and #{limit} may"
        return reject(:failures, trial, beside, failures, limit: limit) unless beside_as_well
        return unless ended?(now)

        reason = "#{failures}; the old release fails as well, so this one was not seen to work"
        reject(:both_fail, trial, beside, reason, limit: limit)
      end

      def within_limit(now, trial, beside, limit)
        return enough(trial, beside, limit) if enough?(trial)
        return unless ended?(now)
        return reject(:failures, trial, beside, "no request succeeded", limit: limit) if nothing_succeeded?(trial)

        reason = "only #{trial.requests} of #{@requests} requests in #{@seconds} s"
        verdict_with(:undecided, :few_requests, reason, trial, beside, limit: limit)
      end

      # One failure alone is within the limit, unless there was nothing else.
      def nothing_succeeded?(trial) = trial.failed.positive? && trial.failed >= trial.requests

      def enough(trial, beside, limit)
        if @first_requests&.slower?(trial, beside)
          times = medians(trial, beside)
          reason = "the median request takes #{times[:median_ms]} ms, that of the old release's first requests " \
                   "#{times[:old_first_median_ms]} ms, that of the workers beside it #{times[:old_median_ms]} ms"
          return reject(:slower, trial, beside, reason, limit: limit, **times)
        end

        reason = "#{trial.failed} of #{trial.requests} requests failed, and #{limit} may"
        verdict_with(:pass, :passed, reason, trial, beside, limit: limit)
      end

      def medians(trial, beside)
        { median_ms: FirstRequests.median(trial.durations), old_first_median_ms: @first_requests.median,
          old_median_ms: FirstRequests.median(beside.durations) }.transform_values { |time| (time * 1000).round(1) }
      end

      def reject(cause, trial, beside, reason, **fields)
        verdict_with(:reject, cause, reason, trial, beside, **fields)
      end

      def verdict_with(outcome, cause, reason, trial, beside, **more)
        fields = { requests: trial.requests, failed: trial.failed, **more, old_requests: beside.requests,
                   old_failed: beside.failed, before_requests: @baseline.requests, before_failed: @baseline.failed }
        Verdict.new(outcome: outcome, cause: cause, reason: reason, fields: fields.freeze).freeze
      end
    end
  end
end
