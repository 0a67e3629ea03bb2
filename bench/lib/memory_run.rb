# frozen_string_literal: true

require_relative "memory_map"
require_relative "memory_timeline"

module Bench
  # The memory of a server after a number of requests; its memory over time and the cost of the requests since the
  # previous point.
  MemoryPoint = Struct.new(:memory, :timeline, :load, :cpu_ms, keyword_init: true)

  # Measures one fresh server at each point. Each measurement waits until a running refork has finished, so that the CPU
  # time of a refork counts for the requests before it.
  class MemoryRun
    SECONDS = 3600 # at most from one point to the next

    attr_reader :booted #: MemoryMap -- before any request, except the one that waits for the server
    attr_reader :points #: Array[MemoryPoint]

    #: (RunningServer, points: Array[Integer], **untyped) -> void
    def initialize(server, points:, **load)
      @server = server
      @booted = look
      @points = [0, *points].each_cons(2).map { |before, after| serve(after - before, load) }
    end

    private

    def serve(requests, load)
      before = @server.tree.cpu
      result, timeline = MemoryTimeline.during(@server) do
        Load.run(@server.port, **load, requests: requests, seconds: SECONDS)
      end
      memory = look
      cpu = @server.tree.cpu - before
      MemoryPoint.new(memory: memory, timeline: timeline, load: result,
                      cpu_ms: cpu.seconds * 1000 / [result.answered, 1].max)
    end

    def look
      MemoryMap.wait_until_quiet(@server)
      @server.check
      MemoryMap.of(@server.tree)
    end
  end
end
