# frozen_string_literal: true

require_relative "benchmark"
require_relative "resumed_rounds"
require_relative "slot_servers"
require_relative "slot_table"

module Bench
  # A benchmark of fresh servers with equal slots, one after the other in each round. Its rows are kept, so that it goes
  # on where it was interrupted. A subclass measures a server, introduces the report and names the figures.
  class EqualSlots < Benchmark
    # servers: of SlotServers.
    #: (Options, **untyped) -> void
    def initialize(options, **servers)
      super(options)
      @servers = SlotServers.new(options, **servers)
    end

    #: () -> Array[Plan]
    def plans = @plans ||= @servers.plans

    #: (Report) -> void
    def call(report)
      @rounds = ResumedRounds.new(RowFile.new(@options.rows), facts)
      rows = @rounds.run(plans, @options.rounds) { |server, round| measure(server, round) }
      report.text introduction
      @rounds.write_failed(report)
      table = SlotTable.new(rows, labels: plans.map(&:label), reference: @servers.reference)
      report.table table.head, table.lines(figures)
    end

    private

    def slots = @options.slots
    def seconds = @options.seconds

    # What makes rows comparable.
    def facts
      { "benchmark" => self.class.name.split("::").last.downcase, "slots" => slots, "seconds" => seconds,
        **@options.surroundings }
    end
  end
end
