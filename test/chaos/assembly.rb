# frozen_string_literal: true

require "fileutils"
require_relative "server"

module Chaos
  # Sees that every slot serves: as many requests as there are slots are held by the application until all of them are in
  # its hands at the same time.
  class Assembly
    TRIES = 20
    HELD = Server::TIMEOUT * 0.6 # seconds: less than a request may take

    attr_reader :met #: Integer -- how many came together at the last try

    #: (Server, Client) -> void
    def initialize(server, client)
      @server = server
      @client = client
      @file = server.path("assembly")
    end

    # Tries again when one of them was just being replaced.
    #: () -> bool
    def call = TRIES.times.any? { together? }

    private

    def together?
      FileUtils.touch(@file)
      count = @server.board.workers_count
      threads = Array.new(count) { Thread.new { @client.ask("assemble") } }
      gathered?(count)
    ensure
      FileUtils.rm_f(@file)
      threads&.each(&:join)
    end

    def gathered?(count)
      deadline = now + HELD
      until (@met = present) >= count
        return false if now > deadline

        IO.select(nil, nil, nil, 0.002)
      end
      true
    end

    def present
      @server.rows(:worker).count { |row| row.started_ms.positive? && row.request.include?("/assemble/") }
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
