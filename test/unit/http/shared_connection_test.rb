# frozen_string_literal: true

require "test_helper"
require_relative "../../support/http_harness"

module Coppice
  # What applications do to a connection from other threads, from copies of the process, and out of turn; and what the
  # garbage collector does meanwhile.
  class SharedConnectionTest < TestCase
    GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    POST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"

    test "threads that write one stream do not mix their pieces" do
      piece = "x" * 10_000
      body = ->(stream) { Array.new(3) { Thread.new { 100.times { stream.write(piece) } } }.each(&:join) }
      answer = HttpHarness.new { [200, {}, body] }.serve(GET)

      assert_equal 300, answer.body.scan(/2710\r\nx{10000}\r\n/).size
      assert answer.body.end_with?("\r\n0\r\n\r\n")
    end

    test "after a write that was interrupted nothing more can be written" do
      body = lambda do |stream|
        writing = Thread.new { stream.write("x" * 20_000_000) }
        writing.report_on_exception = false
        eventually { writing.stop? }
        writing.raise("enough")
        assert_raises(RuntimeError) { BoundedWait.value_of(writing) }
        assert_raises(IOError) { stream.write("late") }
      end
      harness = HttpHarness.new { [200, {}, body] }
      harness.with_client(sent: GET) do |client|
        BoundedWait.readable(client)
        eventually { harness.cycle.events.include?(:finished) }
        received = BoundedWait.read(client)

        assert_equal 1, received.scan("HTTP/1.1").size
        refute_includes received, "late"
      end
    end

    test "a buffer that is being read into cannot be changed meanwhile" do
      clients = Queue.new
      harness = HttpHarness.new(rewindable_input: false) do |env|
        buffer = +""
        reading = Thread.new { env["rack.input"].read(50_000, buffer) }
        eventually { reading.stop? }
        changed = begin
          buffer.replace("short")
        rescue RuntimeError => error
          error.message
        end
        BoundedWait.pop(clients).write("x" * 50_000)
        [200, {}, [changed, BoundedWait.value_of(reading).bytesize.to_s]]
      end
      harness.with_client(sent: format(POST, 50_000)) do |client|
        clients << client

        assert_match(/temporarily locked50000\z/, BoundedWait.read(client))
      end
    end

    test "a body too large for the memory is read as it comes" do
      error = nil
      harness = HttpHarness.new(rewindable_input: false) do |env|
        error = assert_raises(ClientGone) { env["rack.input"].read(env["CONTENT_LENGTH"].to_i) }
        [200, {}, []]
      end
      harness.with_client(sent: format(POST, 4_000_000_000_000_000_000)) do |client|
        client.write("x" * 1000)
        client.close_write
        BoundedWait.read(client)
      end
      assert_match(/body is not complete/, error.message)
    end

    # The kernel sends no file of its own of this kind; the addresses at its start are unmapped, so it begins with
    # zeros.
    test "a file that the kernel cannot send is copied, whatever the garbage collector does meanwhile" do
      harness = HttpHarness.new
      client = harness.connect("127.0.0.1", GET)
      harness.connection.read_head
      harness.connection.start_response(200, {}, 20_000)
      File.open("/proc/self/pagemap", "rb") do |file|
        GC.stress = true
        harness.connection.write_file(file.fileno)
      ensure
        GC.stress = false
      end
      harness.connection.close

      assert_equal "\0" * 20_000, HttpHarness::Answer.new(BoundedWait.read(client)).body
    ensure
      client.close
    end
  end
end
