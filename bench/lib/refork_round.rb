# frozen_string_literal: true

require_relative "memory_map"
require_relative "refork_watch"

module Bench
  # Load and CPU time of a server during a period.
  Window = Struct.new(:load, :cpu, keyword_init: true) do
    #: () -> Float
    def cpu_seconds_per_request = cpu.seconds / [load.answered, 1].max
  end

  # One fresh server: warmed up, measured without a refork, measured while it reforks, and its memory measured while it
  # reforks once more. The memory has a refork of its own, because reading it delays the processes.
  class ReforkRound
    AFTERWARDS = 1 # seconds after the last worker was replaced that count as well
    TIMEOUT = ReforkWatch::TIMEOUT + AFTERWARDS
    WARM_UP_SECONDS = 300 # at most
    MEMORY_INTERVAL = 0.05 # seconds

    attr_reader :steady, :refork #: Window
    attr_reader :watch #: ReforkWatch -- of the first refork
    attr_reader :mib_before, :mib_peak #: Float -- total PSS, of the second refork

    # load: options of the load generator.
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
      @refork = window(TIMEOUT) { watch_refork(@watch) }
      measure_memory
      self
    end

    # The CPU time of the refork: beyond what the same responses would have taken without it.
    #: () -> Float
    def extra_cpu_seconds = refork.cpu.seconds - (steady.cpu_seconds_per_request * refork.load.answered)

    private

    def watch_refork(watch, &look)
      watch.run(&look)
      watch.watch(AFTERWARDS, &look)
    end

    def measure_memory
      @mib_before = @mib_peak = MemoryMap.of(@server.tree).total_mib
      window(TIMEOUT) do
        watch_refork(ReforkWatch.new(@server, interval: MEMORY_INTERVAL)) do |tree|
          @mib_peak = [@mib_peak, MemoryMap.of(tree).total_mib].max
        end
      end
    end

    # Load and CPU time while the block runs.
    def window(seconds)
      before = @server.tree.cpu
      load = Load.new(@server.port, **@load, seconds: seconds).start
      yield
      result = load.stop.finish
      Window.new(load: result, cpu: @server.tree.cpu - before)
    end
  end
end
