# frozen_string_literal: true

module Chaos
  # Clients in a closed loop, each on a thread.
  class Load
    #: (Client, clients: Integer) -> void
    def initialize(client, clients:)
      @client = client
      @threads = Array.new(clients) { Thread.new { ask until @stopping } }
    end

    # Waits for the requests in flight.
    #: () -> void
    def stop
      @stopping = true
      @threads.each(&:join)
    end

    private

    # Pauses after a failure, so that clients do not retry a thousand times a second.
    def ask = @client.ask("work") || IO.select(nil, nil, nil, 0.02)
  end
end
