# frozen_string_literal: true

require_relative "running_server"

module Bench
  # Each plan's server in turn, and that several times. One that does not start, since it knows nothing of its variant say,
  # costs the others nothing: it is left out from then on, and the report says why.
  class Rounds
    attr_reader :found #: Hash[String, Array[T]] -- label => what the block has answered; only those that ran

    #: (Array[Plan], Integer) { (RunningServer) -> T } -> void
    def initialize(plans, count, &measure)
      @found = {}
      @refused = {}
      count.times { plans.each { |plan| run(plan, &measure) unless @refused.key?(plan.label) } }
    end

    #: (Report) -> void
    def write_refused(report)
      @refused.each { |label, reason| report.text "#{label} did not start: #{reason}." }
    end

    private

    def run(plan, &measure)
      warn "bench: #{plan.label}"
      result = RunningServer.run(plan, &measure)
      (@found[plan.label] ||= []) << result
    rescue NotStarted => error
      warn "bench: #{error.message}"
      @found.delete(plan.label)
      @refused[plan.label] = error.reason
    end
  end
end
