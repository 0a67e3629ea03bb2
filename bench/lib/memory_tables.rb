# frozen_string_literal: true

require_relative "memory_map"
require_relative "spread"

module Bench
  # A table for each point. Mean, deviation and peak are those of the time since the previous point. A figure of workers
  # is the median of all workers in all rounds, with the lowest and the highest. Kinds are parts of a worker's private
  # memory; for them the table has only the median.
  class MemoryTables
    KINDS = { "GC heap" => [:gc_heap], "malloc" => [:malloc], "JIT" => [:jit],
              "other" => [:other, :stacks, :libraries, :files] }.freeze
    OVER_TIME = ["mean PSS over time MiB", "its deviation over time", "peak PSS MiB"].freeze
    MEMORY = ["server", *OVER_TIME, "PSS at the end MiB", "shared part of a worker %", "private MiB of a worker",
              *KINDS.keys, "generation of the mold", "req/s", "p99 ms", "CPU ms per request", "errors"].freeze

    #: (Hash[String, Array[MemoryRun]], points: Array[Integer]) -> void
    def initialize(runs, points:)
      @runs = runs
      @points = points
    end

    #: (Report) -> void
    def write(report)
      report.section "Before any request"
      report.table ["server", "total PSS MiB", "processes"],
        @runs.map { |label, runs| booted_row(label, runs.map(&:booted)) }
      @points.each_with_index do |count, index|
        report.section "After #{Spread.new([count])} requests"
        report.table MEMORY, @runs.map { |label, runs| row(label, runs.map { |run| run.points[index] }) }
      end
    end

    private

    def booted_row(label, maps)
      [label, Spread.new(maps.map(&:total_mib)), Spread.new(maps.map { |map| map.sizes.size })]
    end

    def row(label, points)
      maps = points.map(&:memory)
      workers = maps.flat_map(&:workers)
      [label, *over_time(points.map(&:timeline)), Spread.new(maps.map(&:total_mib)),
       Spread.new(workers.map(&:shared_percent)),
       Spread.new(workers.map(&:private_mib)),
       *KINDS.values.map { |kinds| Spread.new(workers.map { |size| size.kinds.values_at(*kinds).sum }).middle },
       Spread.new(maps.map(&:generation)), *speed(points)]
    end

    def over_time(timelines)
      [Spread.new(timelines.map(&:mean)), Spread.new(timelines.map(&:deviation)).middle,
       Spread.new(timelines.map(&:peak))]
    end

    # Figures of the requests since the previous point.
    def speed(points)
      loads = points.map(&:load)
      [Spread.new(loads.map(&:requests_per_second)), Spread.new(loads.map { |load| load.p99_us / 1000.0 }),
       Spread.new(points.map(&:cpu_ms)).to_s(digits: 1), LoadResult.errors_of(loads)]
    end
  end
end
