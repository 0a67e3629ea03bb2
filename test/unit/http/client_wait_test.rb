# frozen_string_literal: true

require "test_helper"
require_relative "../../support/http_harness"

module Coppice
  # How a worker waits for its client (ext/coppice/client/client_wait.c), and that this time is not the application's.
  class ClientWaitTest < TestCase
    BODY = ("x" * 4_000_000).freeze # more than a socket holds
    GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    SLICE_MS = 500 # by which the application's deadline moves ahead of each wait

    # Seconds after which a pause is too long; READS reads take longer than that.
    PAUSE = 6
    READS = 100

    test "a body that trickles forever is refused" do
      limits = { client_body_timeout: 0.5, client_min_rate: 1_000_000 }
      harness = HttpHarness.new(**limits) { flunk "the application is not called" }
      harness.with_client(sent: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n") do |client|
        eventually { client.wait_readable(0) || (client.write("x") && nil) }

        assert_match(%r{\AHTTP/1.1 408 }, BoundedWait.read(client))
      end
    end

    test "time spent waiting for a reader does not count against the application's deadline" do
      harness = HttpHarness.new { [200, {}, [BODY]] }
      harness.with_client(sent: GET) do |client|
        eventually { harness.cycle.postponed_ms > SLICE_MS }

        assert_operator BoundedWait.read(client).bytesize, :>, BODY.bytesize
      end
    end

    # The kernel calls a Unix socket writable only when three quarters of its buffer are read.
    soak_test "a reader that is slow, but reads, is not mistaken for one that stalls" do
      needs_queue_length
      harness = HttpHarness.new(client_write_timeout: PAUSE) { [200, {}, [BODY]] }
      harness.with_client(sent: GET) do |client|
        received = Array.new(READS) { read_slowly(client, 1000) }.sum

        assert_operator received + BoundedWait.read(client).bytesize, :>, BODY.bytesize
      end
    end

    soak_test "a reader is judged by what it reads, not by what the kernel takes for it" do
      needs_queue_length
      harness = HttpHarness.new(client_write_timeout: PAUSE, client_min_rate: 100_000) { [200, {}, [BODY * 2]] }
      with_narrow_client(harness) { |client| read_slowly(client, 2000) until dropped?(harness) }

      assert_equal ["the client is gone: it read slower than client_min_rate"], harness.log.at(:debug)
    end

    soak_test "a reader that keeps the rate is served for longer than it may pause" do
      needs_queue_length
      harness = HttpHarness.new(client_write_timeout: PAUSE, client_min_rate: 1000) { [200, {}, [BODY * 2]] }
      with_narrow_client(harness) do |client|
        READS.times { read_slowly(client, 2000) }

        refute dropped?(harness)
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
      BoundedWait.readable(server) # the kernel may tell the client first
      assert harness.connection.accept(server.fileno)
      serving = Thread.new { harness.exchange.serve }
      yield client
    ensure
      [client, server].each(&:close)
      BoundedWait.value_of(serving) if serving
    end

    # Up to so many bytes, every 80 ms: for time itself, as no descriptor announces that the server has waited for us.
    # Answers how many; none once the server has ended the connection.
    def read_slowly(client, bytes)
      IO.select(nil, nil, nil, 0.08)
      BoundedWait.readable(client).readpartial(bytes).bytesize
    rescue EOFError, Errno::ECONNRESET
      0
    end

    def dropped?(harness) = harness.cycle.events.include?(:finished)
  end
end
