# frozen_string_literal: true

require_relative "memory_map"
require_relative "refork_watch"

module Bench
  # What clients and the processors have seen of a server for a while.
  Window = Struct.new(:load, :cpu, keyword_init: true) do
    #: () -> Float
    def cpu_seconds_per_request = cpu.seconds / [load.answered, 1].max
  end

  # One fresh server: warmed up, measured in peace, measured while it reforks, and weighed while it reforks once more. The
  # weighing has a refork of its own because it holds up the processes that it looks at.
  class ReforkRound
    AFTERWARDS = 1 # seconds: what comes after the last worker is noticed as well
    PATIENCE = ReforkWatch::TIMEOUT + AFTERWARDS
    WARM_UP_SECONDS = 300 # at most
    WEIGHING_INTERVAL = 0.05

    attr_reader :steady, :refork #: Window
    attr_reader :watch #: ReforkWatch -- of the first refork
    attr_reader :mib_before, :mib_peak #: Float -- total PSS, of the second refork

    # load: what the load generator is told.
    #: (RunningServer, **untyped) -> void
    def initialize(server, **load)
      @server = server
      @load = load
    end

    #: (warm_up_requests: Integer, steady_seconds: Numeric) -> self
    def measure(warm_up_requests:, steady_seconds:)
      Load.run(@server.port, **@load, requests: warm_up_requests, seconds: WARM_UP_SECONDS)
      @watch = ReforkWatch.new(@server)
      @steady = window(steady_seconds) { @watch.watch(steady_seconds) }
      @refork = window(PATIENCE) { watch_refork(@watch) }
      weigh
      self
    end

    # The CPU time that the refork took, beyond what its answers would have taken in peace.
    #: () -> Float
    def extra_cpu_seconds = refork.cpu.seconds - (steady.cpu_seconds_per_request * refork.load.answered)

    private

    def watch_refork(watch, &look)
      watch.run(&look)
      watch.watch(AFTERWARDS, &look)
    end

    def sample
      @mib_before = @mib_peak = MemoryMap.of(@server.tree).total_mib
      window(PATIENCE) do
        watch_refork(ReforkWatch.new(@server, interval: WEIGHING_INTERVAL)) do |tree|
          @mib_peak = [@mib_peak, MemoryMap.of(tree).total_mib].max
        end
      end
    end

    # What is seen while the block runs.
    def window(seconds)
      before = @server.tree.cpu
      load = Load.new(@server.port, **@load, seconds: seconds).start
      yield
      result = load.stop.finish
      Window.new(load: result, cpu: @server.tree.cpu - before)
    end
  end
end
