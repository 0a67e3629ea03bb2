# frozen_string_literal: true

require "test_helper"
require_relative "../../support/http_harness"

module Coppice
  # Clients that have their answer and may still be sending.
  class LingeringTest < TestCase
    UPLOAD = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n"
    LONG_MS = 60_000
    MOST = 128

    def setup
      @clients = []
      linger_for(LONG_MS)
    end

    def teardown
      [@lingering, *@clients].each(&:close)
    end

    def linger_for(milliseconds)
      @lingering&.close
      @lingering = Http::Lingering.new(milliseconds)
      use(@lingering)
    end

    def use(lingering)
      @harness = HttpHarness.new(rewindable_input: false, lingering: lingering) { [200, {}, ["done"]] }
    end

    # The socket of a client that is answered early.
    def answered
      @clients << (client = @harness.connect("127.0.0.1", UPLOAD))
      @harness.exchange.serve
      client
    end

    def attend = @lingering.attend || @lingering.count

    # Whether it wakes a worker.
    def announced?
      waiter = Coppice::Waiter.new.add(@lingering.fileno, :lingering)
      !waiter.look.nil?
    ensure
      waiter&.close
    end

    test "the server does not wait for a client that stays" do
      client = answered

      assert_equal [1, 1], [@lingering.count, attend]
      assert_match(/done\z/, BoundedWait.read(client))
    end

    test "a client that leaves is announced, and closed" do
      client = answered
      quiet = announced?
      client.close

      assert_equal [false, true, 0, false], [quiet, announced?, attend, announced?]
    end

    test "what a client still sends is discarded, and it can read its answer" do
      client = answered
      left = 4_000_000
      while left.positive?
        sent = client.write_nonblock("x" * [left, 100_000].min, exception: false)
        sent == :wait_writable ? @lingering.attend : left -= sent
      end

      assert_equal 1, attend
      assert_match(/done\z/, BoundedWait.read(client))
    end

    test "a client that is silent for too long is closed" do
      linger_for(0)
      client = answered

      assert_equal 0, attend
      assert_raises(Errno::EPIPE) { client.write("x") }
    end

    test "a client whose bytes have waited for the worker is not silent" do
      linger_for(30)
      answered.write("x")
      counts = Array.new(2) do
        IO.select(nil, nil, nil, 0.05)
        attend
      end

      assert_equal [1, 0], counts
    end

    test "when there are too many the oldest is closed" do
      first, second = Array.new(MOST + 1) { answered }

      assert_equal MOST, @lingering.count
      assert_raises(Errno::EPIPE) { first.write("x") }
      assert_equal 1, second.write("x")
    end

    test "a process that was forked meanwhile closes its copies, and no client notices" do
      client = answered
      pid = fork do
        @lingering.close
        exit!(@lingering.count)
      end

      assert_equal 0, BoundedWait.status_of(pid).exitstatus
      client.write("x")
      assert announced?
      assert_equal 1, attend
    end

    test "a worker that exits waits until its clients have left" do
      client = answered
      leaving = Thread.new { BoundedWait.read(client).tap { client.close } }
      @lingering.finish(LONG_MS)

      assert_match(/done\z/, leaving.value)
      assert_equal 0, @lingering.count
    end

    test "a worker that exits waits for its clients no longer than its limit" do
      client = answered
      @lingering.finish(0)

      assert_raises(Errno::EPIPE) { client.write("x") }
    end

    test "without a Lingering a client is closed at once" do
      use(nil)

      assert_raises(Errno::EPIPE) { answered.write("x") }
    end
  end
end
