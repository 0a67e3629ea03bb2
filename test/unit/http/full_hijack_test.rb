# frozen_string_literal: true

require_relative "../../test_helper"
require_relative "../../support/http_harness"

module Coppice
  # rack.hijack in the env: the socket is the application's, whatever it returns.
  class HttpFullHijackTest < TestCase
    GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    test "a full hijack leaves the socket to the application" do
      harness = HttpHarness.new do |env|
        io = env["rack.hijack"].call
        io.write("mine")
        env["rack.hijack_io"].close
        [500, {}, ["not sent"]]
      end

      assert_equal "mine", harness.serve(GET).raw
      assert_empty harness.log.at(:error)
    end

    test "a hijacked socket outlives the request, and gives what was read ahead" do
      io = nil
      harness = HttpHarness.new { |env| (io = env["rack.hijack"].call) && [200, {}, []] }
      client = harness.connect("127.0.0.1", "#{GET}ahead")
      harness.serve_client

      assert_equal "ahead", io.readpartial(100)
      client.write("more")
      assert_equal "more", io.readpartial(100)
      assert_kind_of UNIXSocket, io
      refute harness.connection.open?
    ensure
      [client, io].each(&:close)
    end

    test "an error after a hijack is logged, not answered" do
      harness = HttpHarness.new do |env|
        env["rack.hijack"].call.close
        raise "broken"
      end

      assert_equal "", harness.serve(GET).raw
      assert_equal 1, harness.log.at(:error).size
    end

    test "a connection that was taken over ends when the application raises then, and its socket stays open" do
      kept = nil
      harness = HttpHarness.new { |env| (kept = env["rack.hijack"].call) && raise("broken") }

      assert_equal "", harness.serve(GET).raw
      refute_predicate kept, :closed?
    ensure
      kept&.close
    end

    test "it is left to a thread that was started for it before the application raised" do
      failed = Queue.new
      harness = HttpHarness.new do |env|
        io = env["rack.hijack"].call
        Thread.new { BoundedWait.pop(failed) && io.write("late") && io.close }
        raise "broken"
      end
      harness.with_client(sent: GET) do |client|
        eventually { harness.cycle.events.include?(:finished) }
        failed << true

        assert_equal "late", BoundedWait.read(client)
      end
    end

    test "it is left to an application that returns no response" do
      kept = nil
      harness = HttpHarness.new { |env| (kept = env["rack.hijack"].call) && nil }
      harness.with_client(sent: GET) do |client|
        eventually { harness.cycle.events.include?(:finished) }
        kept.write("late")
        kept.close

        assert_equal "late", BoundedWait.read(client)
      end
    end

    test "an application cannot hijack the next client" do
      kept = nil
      harness = HttpHarness.new do |env|
        kept ? assert_raises(IOError) { kept.call } : kept = env["rack.hijack"]
        [200, {}, ["fine"]]
      end

      assert_equal %w[fine fine], Array.new(2) { harness.serve(GET).body }
    end
  end
end
