# frozen_string_literal: true

require "coppice/monitor/molds/canary/allowed_failures"
require "coppice/monitor/molds/canary/first_requests"

module Coppice
  class Monitor
    class Canary
      # What the counts of the trial, and of the workers beside it, say at one moment.
      #
      # The number of failures is compared with one limit for the whole canary, at whatever request it is exceeded. So a
      # look after each request rejects no more equal releases than one look at the end.
      class Look
        # trial, beside: what both have counted since the start. ended: what is over, :time or :traffic; or nil.
        #: (Terms, trial: Counts, beside: Counts, ended: Symbol?) -> void
        def initialize(terms, trial:, beside:, ended:)
          @terms = terms
          @trial = trial
          @beside = beside
          @ended = ended
          @allowed = AllowedFailures.new(terms.baseline, beside)
          @limit = @allowed.among(judged_requests)
        end

        # nil while more requests are to be waited for.
        #: () -> Verdict?
        def verdict
          return timeout if @trial.timeouts.positive?
          return too_many_failures if @trial.failed > @limit
          return enough if @trial.requests >= @terms.requests

          too_few if @ended
        end

        private

        def timeout = verdict_with(:reject, :timeout, "a request was past its deadline")

        # Before the end the limit is already that of all requests. At the end there are as many as there are.
        def judged_requests
          served = [@trial.requests, @trial.failed].max
          @ended ? served : [served, @terms.requests].max
        end

        # While the old release fails as well, a short outage of what both use may end in time.
        def too_many_failures
          return reject(:failures, failures) unless @allowed.beside_as_well?(@trial.failed, judged_requests)

          reject(:both_fail, "#{failures}; the old release fails as well, so this one was not seen to work") if @ended
        end

        def failures = "#{@trial.failed} of #{@trial.requests} requests failed, and #{@limit} may"

        def enough
          return slower if @terms.first_requests&.slower?(@trial, @beside)

          verdict_with(:pass, :passed, failures, limit: @limit)
        end

        def slower
          times = { median_ms: FirstRequests.median(@trial.durations),
                    old_first_median_ms: @terms.first_requests.median,
                    old_median_ms: FirstRequests.median(@beside.durations) }
                  .transform_values { |time| (time * 1000).round(1) }
          reason = "the median request takes #{times[:median_ms]} ms, that of the old release's first requests " \
                   "#{times[:old_first_median_ms]} ms, that of the workers beside it #{times[:old_median_ms]} ms"
          reject(:slower, reason, **times)
        end

        def too_few
          return reject(:failures, "no request succeeded") if nothing_succeeded?

          until_when = @ended == :time ? " in #{@terms.seconds} s" : ", and nobody asks any more"
          verdict_with(:undecided, :few_requests,
            "only #{@trial.requests} of #{@terms.requests} requests#{until_when}", limit: @limit)
        end

        # One failure alone is within the limit, unless there was nothing else.
        def nothing_succeeded? = @trial.failed.positive? && @trial.failed >= @trial.requests

        def reject(cause, reason, **times) = verdict_with(:reject, cause, reason, limit: @limit, **times)

        def verdict_with(outcome, cause, reason, **compared)
          baseline = @terms.baseline
          fields = { requests: @trial.requests, failed: @trial.failed, **compared,
                     old_requests: @beside.requests, old_failed: @beside.failed,
                     before_requests: baseline.requests, before_failed: baseline.failed }
          Verdict.new(outcome: outcome, cause: cause, reason: reason, fields: fields.freeze).freeze
        end
      end
    end
  end
end
