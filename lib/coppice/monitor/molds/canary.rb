# frozen_string_literal: true

require "coppice/monitor/molds/canary/counts"
require "coppice/monitor/molds/canary/look"

module Coppice
  class Monitor
    # Judges a new release by its trial, which serves clients beside the workers of the old release. The trial is
    # rejected as soon as its failures can no longer pass. It passes after so many requests. When the time ends before,
    # or nobody asks any more, it is undecided.
    class Canary
      # requests, seconds: of the whole canary, whichever comes first. baseline: what the old release has counted
      # before, such as in its last hour. first_requests: of the old release; nil when they are unknown, as after the
      # server's first boot.
      Terms = Struct.new(:requests, :seconds, :baseline, :first_requests)

      # What it has shown, with its numbers.
      #
      # outcome: :pass, :reject or :undecided.
      # cause: :passed; :timeout, :failures, :both_fail or :slower of a rejection; :few_requests.
      # reason: a sentence. fields: the numbers.
      Verdict = Struct.new(:outcome, :cause, :reason, :fields, keyword_init: true) do
        # Whether the release is to be committed: too few requests are no reason against it.
        #: () -> bool
        def commit? = outcome != :reject

        # The fields of its log line.
        #: () -> Hash[Symbol, untyped]
        def to_log = { canary: cause, **fields }
      end

      # When it ends at the latest (monotonic seconds).
      attr_reader :ends_at #: Float

      # started_at: monotonic seconds. The others: as in Terms.
      #: (requests: Integer, seconds: Numeric, started_at: Float, ?baseline: Counts,
      #    ?first_requests: FirstRequests?) -> void
      def initialize(requests:, seconds:, started_at:, baseline: Counts::NONE, first_requests: nil)
        @terms = Terms.new(requests, seconds, baseline, first_requests)
        @ends_at = started_at + seconds
      end

      # nil while it waits for more requests. trial, beside: what the trial and the workers of the old release have
      # counted since the start. traffic_ended: no more requests are expected. A trial that exits is no matter of this
      # class: its candidate is abandoned.
      #: (Float, Counts, Counts, ?traffic_ended: bool) -> Verdict?
      def verdict(now, trial, beside, traffic_ended: false)
        ended = if now >= ends_at then :time
                elsif traffic_ended then :traffic
                end
        Look.new(@terms, trial: trial, beside: beside, ended: ended).verdict
      end
    end
  end
end
