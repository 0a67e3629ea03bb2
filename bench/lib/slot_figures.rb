# frozen_string_literal: true

require_relative "slot_run"
require_relative "slot_table"

module Bench
  # The lines of the table of `bin/bench slots`.
  class SlotFigures
    PERCENTILES = { "p50" => :p50_us, "p95" => :p95_us, "p99" => :p99_us }.freeze

    #: (slots: Integer, shares: Array[Integer]) -> void
    def initialize(slots:, shares:)
      @slots = slots
      @open_loops = shares.map { |share| SlotRun.open_loop(share) }
    end

    #: () -> Array[SlotFigure]
    def all
      [SlotFigure.new("boot to the first answer, s", 1, true, ->(row) { row["boot_seconds"] }),
       *memory, *workers, *closed_loop, *[SlotRun::CLOSED, *@open_loops].flat_map { |name| latencies(name) },
       *latencies(SlotRun::REFORKS), SlotFigure.new("a refork, s", 1, false, ->(row) { row["refork_seconds"] })]
    end

    private

    def memory
      [SlotFigure.new("total PSS, mean, MiB", 0, true, ->(row) { mean_mib(row) }),
       SlotFigure.new("total PSS, peak, MiB", 0, true, ->(row) { row.phases.values.map(&:peak_mib).max }),
       SlotFigure.new("total PSS, mean, MiB per slot", 1, true, ->(row) { mean_mib(row) / @slots })]
    end

    def mean_mib(row) = mean(steady(row).map(&:mean_mib))

    def workers
      [SlotFigure.new("workers, fewest", 0, false, ->(row) { steady(row).map { |phase| phase.workers[0] }.min }),
       SlotFigure.new("workers, mean", 1, false, ->(row) { mean(steady(row).map { |phase| phase.workers[1] }) }),
       SlotFigure.new("workers, most", 0, false, ->(row) { steady(row).map { |phase| phase.workers[2] }.max })]
    end

    def closed_loop
      cpu = [SlotRun::CLOSED, *@open_loops].map do |name|
        SlotFigure.new("#{name}, CPU ms per request", 2, true, of(name, &:cpu_ms_per_request))
      end
      closed = ->(name, member) { SlotFigure.new("#{SlotRun::CLOSED}, #{name}", 0, true, of(SlotRun::CLOSED, &member)) }
      [closed.call("requests per second", :requests_per_second), *cpu,
       closed.call("kernel's part of CPU, %", :kernel_percent)]
    end

    def latencies(name)
      PERCENTILES.map do |title, member|
        SlotFigure.new("#{name}, #{title}, ms", 1, true, of(name) { |phase| phase.milliseconds("all", member) })
      end
    end

    # Of that phase, for servers that have it.
    def of(name) = ->(row) { row.phase(name)&.then { |phase| yield phase } }

    # The phases that are neither the warm-up nor reforks on demand.
    def steady(row) = [SlotRun::CLOSED, *@open_loops].map { |name| row.phase(name) }

    def mean(values) = values.sum.fdiv(values.size)
  end
end
