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
      eventually do # the server may begin to wait late
        harness = HttpHarness.new { [200, {}, [BODY]] }
        harness.with_client(sent: GET) do |client|
          wait(0.3)

          assert_operator client.read.bytesize, :>, BODY.bytesize
        end
        harness.observer.postponed_ms >= 200
      end
    end

    # The kernel calls a Unix socket writable only when three quarters of its buffer are read.
    test "a reader that is slow, but reads, is not mistaken for one that stalls" do
      needs_queue_length
      received = without_pause(1) do
        harness = HttpHarness.new(client_write_timeout: 1) { [200, {}, [BODY]] }
        harness.with_client(sent: GET) { |client| Array.new(20) { read_slowly(client, 8000) }.sum + read_all(client) }
      end

      assert_operator received, :>, BODY.bytesize
    end

    # The kernel of this machine takes megabytes for a client at once; they earn it nothing until it reads them.
    test "a reader is judged by what it reads, not by what the kernel takes for it" do
      needs_queue_length
      lines = without_pause(1) do
        harness = HttpHarness.new(client_write_timeout: 1, client_min_rate: 100_000) { [200, {}, [BODY * 2]] }
        with_narrow_client(harness) { |client| read_slowly(client, 2000) until dropped?(harness) }
        harness.log.at(:debug)
      end

      assert_equal ["the client is gone: it read slower than client_min_rate"], lines
    end

    test "a reader that keeps the rate is served for longer than it may pause" do
      needs_queue_length
      dropped = without_pause(1) do
        harness = HttpHarness.new(client_write_timeout: 1, client_min_rate: 10_000) { [200, {}, [BODY * 2]] }
        with_narrow_client(harness) do |client|
          25.times { read_slowly(client, 2000) }
          dropped?(harness)
        end
      end

      assert_equal false, dropped
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
      server.wait_readable # the kernel may tell the client first
      assert harness.connection.accept(server.fileno)
      serving = Thread.new { harness.exchange.serve }
      yield client
    ensure
      [client, server].each(&:close)
      serving&.join
    end

    # Answers what the block does. Yields again if the machine kept the reader from running for so long that the server
    # could take it for a pause of so many seconds.
    def without_pause(seconds)
      40.times do
        @read_at = [monotonic_now]
        answer = yield
        return answer if @read_at.each_cons(2).all? { |before, after| after - before < seconds / 2.0 }
      end
      flunk "the machine is too busy"
    end

    # Up to so many bytes, every 80 ms. Answers how many; none once the server has ended the connection.
    def read_slowly(client, bytes)
      wait(0.08)
      client.readpartial(bytes).bytesize
    rescue EOFError, Errno::ECONNRESET
      0
    ensure
      @read_at << monotonic_now
    end

    # Piece by piece, as one long read would look like a pause.
    def read_all(client)
      bytes = 0
      while (piece = client.read(100_000))
        @read_at << monotonic_now
        bytes += piece.bytesize
      end
      bytes
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
