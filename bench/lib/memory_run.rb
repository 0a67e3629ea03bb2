# frozen_string_literal: true

require_relative "memory_map"

module Bench
  # The memory of a server after a number of requests, and the cost of the requests since the previous point.
  MemoryPoint = Struct.new(:memory, :load, :cpu_ms, keyword_init: true)

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
      result = Load.run(@server.port, **load, requests: requests, seconds: SECONDS)
      memory = look
      cpu = @server.tree.cpu - before
      MemoryPoint.new(memory: memory, load: result, cpu_ms: cpu.seconds * 1000 / [result.answered, 1].max)
    end

    def look
      MemoryMap.wait_until_quiet(@server)
      MemoryMap.of(@server.tree)
    end
  end
end
