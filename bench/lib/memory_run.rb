# frozen_string_literal: true

require_relative "memory_map"

module Bench
  # What a server was like after so many requests, and what the last of them have cost.
  MemoryPoint = Struct.new(:memory, :load, :cpu_ms, keyword_init: true)

  # One fresh server on its way through the points at which it is looked at. Each look waits for a refork that has begun,
  # so that the CPU time of a refork counts for the requests before it.
  class MemoryRun
    SECONDS = 3600 # at most from one point to the next

    attr_reader :booted #: MemoryMap -- before any request but the one that asks whether it is there
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
