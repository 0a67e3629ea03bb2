# frozen_string_literal: true

require_relative "load"
require_relative "memory_timeline"

module Bench
  # What was measured in a period: the result of each load generator, by name, and the server's CPU time, the kernel's
  # part of it, memory and number of workers meanwhile. `workers`: the fewest, the mean, the most.
  SlotPhase = Struct.new(:loads, :cpu_seconds, :kernel_percent, :mean_mib, :peak_mib, :workers, keyword_init: true) do
    # Runs the block, which returns the results of load generators by name.
    #: (RunningServer, ?interval: Numeric) { () -> Hash[String, LoadResult] } -> SlotPhase
    def self.measure(server, interval: MemoryTimeline::INTERVAL, &block)
      before = server.tree.cpu
      loads, timeline = MemoryTimeline.during(server, interval: interval, &block)
      server.check
      cpu = server.tree.cpu - before
      counts = timeline.workers
      new(loads: loads, cpu_seconds: cpu.seconds, kernel_percent: cpu.kernel_percent, mean_mib: timeline.mean,
        peak_mib: timeline.peak, workers: [counts.min, counts.sum.fdiv(counts.size), counts.max])
    end

    # From what `to_json` of it was parsed to.
    #: (Hash[String, untyped]) -> SlotPhase
    def self.parsed(values)
      loads = values["loads"].transform_values { |load| LoadResult.new(**load.transform_keys(&:to_sym)) }
      new(**values.transform_keys(&:to_sym), loads: loads)
    end

    #: (*untyped) -> String
    def to_json(*state) = { **to_h, loads: loads.transform_values(&:to_h) }.to_json(*state)

    # A percentile of a load generator's latencies; nil if nothing was answered.
    #: (String, Symbol) -> Float?
    def milliseconds(load, percentile)
      found = loads.fetch(load)
      found[percentile] / 1000.0 if found.answered.positive?
    end

    #: () -> Float
    def requests_per_second = loads.values.sum(&:answered) / loads.values.map(&:seconds).max

    #: () -> Float
    def cpu_ms_per_request = cpu_seconds * 1000 / [loads.values.sum(&:answered), 1].max
  end

  # A row of the benchmarks that compare servers with equal slots: one fresh server in one round.
  class SlotRow
    attr_reader :phases #: Hash[String, SlotPhase]

    #: (Hash[String, untyped]) -> void
    def initialize(values)
      @values = values
      @phases = values["phases"].transform_values { |phase| SlotPhase.parsed(phase) }
    end

    #: (String) -> untyped
    def [](name) = @values[name]

    # nil if the server had no such phase.
    #: (String) -> SlotPhase?
    def phase(name) = @phases[name]
  end
end
