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

    #: (Target) -> void
    def initialize(target)
      @target = target
      @server = target.server
      @file = @server.path("assembly")
    end

    # Tries again if a worker was being replaced.
    #: () -> boolish
    def call = @target.wait(PATIENCE) { all_serve? }

    private

    def all_serve?
      FileUtils.touch(@file)
      count = @server.board.workers_count
      threads = Array.new(count) { Thread.new { @target.client.ask("assemble") } }
      @target.wait(TIMEOUT) { (@most_seen = in_flight) >= count }
    ensure
      FileUtils.rm_f(@file)
      threads&.each(&:join)
    end

    def in_flight
      @server.rows(:worker).count { |row| row.started_ms.positive? && row.request.include?("/assemble/") }
    end
  end
end
