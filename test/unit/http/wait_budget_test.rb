# frozen_string_literal: true

require "test_helper"
require_relative "../../support/http_harness"

module Coppice
  # How long a worker waits for its client, and that this time is not the application's.
  class WaitBudgetTest < TestCase
    BODY = ("x" * 4_000_000).freeze # more than a socket holds
    GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    test "a body that trickles forever is refused, though it never pauses" do
      limits = { client_body_timeout: 0.5, client_min_rate: 1_000_000 }
      harness = HttpHarness.new(**limits) { flunk "the application is not called" }
      harness.with_client(sent: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n") do |client|
        trickle(client)

        assert_match(%r{\AHTTP/1.1 408 }, client.read)
      end
    end

    test "time spent waiting for a reader does not count against the application's deadline" do
      harness = HttpHarness.new { [200, {}, [BODY]] }
      harness.with_client(sent: GET) do |client|
        wait(0.3)

        assert_operator client.read.bytesize, :>, BODY.bytesize
      end

      assert_operator harness.observer.postponed_ms, :>=, 200
    end

    # The kernel calls a Unix socket writable only when three quarters of its buffer are read.
    test "a reader that is slow, but reads, is not mistaken for one that stalls" do
      needs_queue_length
      harness = HttpHarness.new(client_write_timeout: 3) { [200, {}, [BODY]] }
      harness.with_client(sent: GET) do |client|
        slowly = Array.new(20) { client.readpartial(8000).tap { wait(0.25) } }

        assert_operator slowly.sum(&:bytesize) + client.read.bytesize, :>, BODY.bytesize
      end
    end

    # The kernel of this machine takes megabytes for a client at once; they earn it nothing until it reads them.
    test "a reader is judged by what it reads, not by what the kernel takes for it" do
      needs_queue_length
      harness = HttpHarness.new(client_write_timeout: 2, client_min_rate: 100_000) { [200, {}, [BODY * 2]] }
      with_narrow_client(harness) do |client|
        began = monotonic_now
        read_slowly(client, 2000) until dropped?(harness) || monotonic_now > began + 15

        assert_equal ["the client is gone: it read slower than client_min_rate"], harness.log.at(:debug)
      end
    end

    test "a reader that keeps the rate is served for longer than it may pause" do
      needs_queue_length
      harness = HttpHarness.new(client_write_timeout: 1, client_min_rate: 10_000) { [200, {}, [BODY * 2]] }
      with_narrow_client(harness) do |client|
        40.times { read_slowly(client, 2000) }

        refute dropped?(harness), harness.log.at(:debug)
      end
    end

    private

    # Only Linux reports how much of what was sent the client has not read.
    def needs_queue_length
      skip "needs Linux" unless OS.supervises?
    end

    # A client whose own kernel takes little; it leaves when the block ends.
    def with_narrow_client(harness)
      server = TCPServer.new("127.0.0.1", 0)
      client = Socket.new(:INET, :STREAM).tap { |socket| socket.setsockopt(:SOCKET, :RCVBUF, 4096) }
      client.connect(server.local_address)
      client.write(GET)
      assert harness.connection.accept(server.fileno)
      serving = Thread.new { harness.exchange.serve }
      yield client
    ensure
      [client, server].each(&:close)
      serving&.join
    end

    # Up to 40 kB in a second.
    def read_slowly(client, bytes)
      wait(0.05)
      client.readpartial(bytes)
    end

    def dropped?(harness) = harness.observer.events.include?(:finished)

    # Until there is an answer.
    def trickle(client)
      client.write("x") until client.wait_readable(0.02)
    end

    # For time itself: no descriptor announces that the server has waited for us.
    def wait(seconds) = IO.select(nil, nil, nil, seconds)
  end
end
