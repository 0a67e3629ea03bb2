# frozen_string_literal: true

require_relative "row_file"
require_relative "running_server"
require_relative "setup"

module Bench
  # Runs the server of each plan in turn, several times, as Rounds does, and keeps each result as a row of a file. What
  # the file has already is not measured again. A server that fails has no row; the others still run.
  class ResumedRounds
    # file: of the rows. facts: what all rows of this run have in common; a row of other facts is not of this run.
    # servers: runs the server of a plan.
    #: (RowFile, Hash[String, untyped], ?servers: untyped) -> void
    def initialize(file, facts, servers: RunningServer)
      @file = file
      @facts = facts
      @servers = servers
      @failed = []
    end

    # Returns the rows of all rounds. The block measures a server in a round, and returns the values of its row.
    #: (Array[Plan], Integer) { (RunningServer, Integer) -> Hash[String, untyped] } -> Array[Hash[String, untyped]]
    def run(plans, count, &measure)
      (1..count).each { |round| plans.each { |plan| measure(plan, round, &measure) } }
      labels = plans.map(&:label)
      rows.select { |row| labels.include?(row["server"]) && row["round"] <= count }
    end

    # The rows of this run, also those of servers that are not among its plans.
    #: () -> Array[Hash[String, untyped]]
    def rows = @file.matching(@facts)

    #: (Report) -> void
    def write_failed(report)
      @failed.each { |label, round, reason| report.text "#{label} has no figures in round #{round}: #{reason}." }
    end

    private

    def measure(plan, round)
      key = { **@facts, "server" => plan.label, "round" => round }
      return warn("bench: #{plan.label}, round #{round}: in #{@file.path}") if @file.matching(key).any?

      warn "bench: #{plan.label}, round #{round}, #{Time.now.strftime("%H:%M:%S")}"
      values = @servers.run(plan) { |server| yield server, round }
      @file.append({ **key, "version" => plan.version, **values })
    rescue Failure => error
      warn "bench: #{error.message}"
      @failed << [plan.label, round, error.is_a?(NotStarted) ? error.reason : error.message.lines.first.chomp]
    end
  end
end
