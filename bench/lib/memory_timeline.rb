# frozen_string_literal: true

require_relative "memory_map"

module Bench
  # The total PSS of a server and its number of ready workers over time, while a block runs. Reforks make memory a
  # saw-tooth of some tens of MiB, so the value at one moment, such as the end, says little.
  class MemoryTimeline
    INTERVAL = 1 # seconds between two samples
    ATTEMPTS = 5 # at a sample during which no process is forked or exits

    Sample = Struct.new(:mib, :workers)
    private_constant :Sample

    # Returns the block's value and the timeline of these servers together.
    #: (*RunningServer, ?interval: Numeric) { () -> T } -> [T, MemoryTimeline]
    def self.during(*servers, interval: INTERVAL)
      samples = [sample(servers)]
      sampler = Thread.new { samples << sample(servers) while sleep(interval) }
      value = yield
      sampler.kill.join
      [value, new([*samples, sample(servers)].compact)]
    ensure
      sampler&.kill
    end

    # The sum is wrong if a process exits meanwhile: what it shared counts again, in those that are read after it. nil
    # if that was so each time.
    #: (Array[RunningServer]) -> Sample?
    def self.sample(servers)
      ATTEMPTS.times do
        trees = servers.map(&:tree)
        total = trees.sum { |tree| MemoryMap.total_mib(tree) }
        unchanged = servers.map { |server| server.tree.pids } == trees.map(&:pids)
        return Sample.new(total, trees.sum { |tree| tree.ready_workers.size }) if unchanged
      end
      nil
    end
    private_class_method :sample

    attr_reader :workers #: Array[Integer] -- their number in each sample

    #: (Array[Sample]) -> void
    def initialize(samples)
      @totals = samples.map(&:mib)
      @workers = samples.map(&:workers)
    end

    #: () -> Float
    def mean = @totals.sum / @totals.size

    # The standard deviation over time.
    #: () -> Float
    def deviation = Math.sqrt(@totals.sum { |total| (total - mean)**2 } / @totals.size)

    #: () -> Float
    def peak = @totals.max
  end
end
