# frozen_string_literal: true

module Chaos
  # Clients that ask, read the answer and ask again, each on a thread.
  class Load
    #: (Client, clients: Integer) -> void
    def initialize(client, clients:)
      @client = client
      @threads = Array.new(clients) { Thread.new { ask until @stopping } }
    end

    # After the requests in hand.
    #: () -> void
    def stop
      @stopping = true
      @threads.each(&:join)
    end

    private

    # A server that is not there is no reason to ask it a thousand times a second.
    def ask = @client.ask("work") || IO.select(nil, nil, nil, 0.02)
  end
end
