# frozen_string_literal: true

require "fileutils"
require_relative "server"

module Chaos
  # Checks that every slot serves. Sends as many requests as there are slots. The application holds each of them until
  # all are in flight at the same time.
  class SlotCheck
    PATIENCE = 60 # seconds
    TIMEOUT = Server::TIMEOUT * 0.6 # seconds of one try: less than a request may take

    attr_reader :most_seen #: Integer -- requests in flight at the last try

    #: (Server, Client) -> void
    def initialize(server, client)
      @server = server
      @client = client
      @file = server.path("assembly")
    end

    # Tries again if a worker was being replaced.
    #: () -> bool
    def call
      deadline = now + PATIENCE
      nil until (served = all_serve?) || now > deadline
      served
    end

    private

    def all_serve?
      FileUtils.touch(@file)
      count = @server.board.workers_count
      threads = Array.new(count) { Thread.new { @client.ask("assemble") } }
      all_in_flight?(count)
    ensure
      FileUtils.rm_f(@file)
      threads&.each(&:join)
    end

    def all_in_flight?(count)
      deadline = now + TIMEOUT
      until (@most_seen = in_flight) >= count
        return false if now > deadline

        IO.select(nil, nil, nil, 0.002)
      end
      true
    end

    def in_flight
      @server.rows(:worker).count { |row| row.started_ms.positive? && row.request.include?("/assemble/") }
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
