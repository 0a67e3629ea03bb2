# frozen_string_literal: true

require_relative "running_server"

module Bench
  # Runs the server of each plan in turn, several times. A server that does not start, for example because it does not
  # support its variant, is left out from then on. The report says why.
  class Rounds
    attr_reader :found #: Hash[String, Array[T]] -- label => results of the block; only servers that ran

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

    # That, and a table with the block's row for each server that ran.
    #: (Report, Array[String]) { (String, Array[T]) -> Array[untyped] } -> void
    def write_table(report, head, &row)
      write_refused(report)
      report.table head, @found.map(&row)
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
