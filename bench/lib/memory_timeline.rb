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

    # Returns the block's value and the timeline.
    #: (RunningServer) { () -> T } -> [T, MemoryTimeline]
    def self.during(server)
      samples = [sample(server)]
      sampler = Thread.new { samples << sample(server) while sleep(INTERVAL) }
      value = yield
      sampler.kill.join
      [value, new([*samples, sample(server)].compact)]
    ensure
      sampler&.kill
    end

    # The sum is wrong if a process exits meanwhile: what it shared counts again, in those that are read after it. nil
    # if that was so each time.
    #: (RunningServer) -> Sample?
    def self.sample(server)
      ATTEMPTS.times do
        tree = server.tree
        total = MemoryMap.total_mib(tree)
        return Sample.new(total, tree.ready_workers.size) if server.tree.pids == tree.pids
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
