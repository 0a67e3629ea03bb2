# frozen_string_literal: true

require_relative "../../test_helper"
require_relative "../../support/http_harness"

module Coppice
  # Partial hijack, streaming bodies, early hints: applications that use the socket.
  class HttpTakeoverTest < TestCase
    GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    test "a partial hijack gets the socket after the head" do
      body = Object.new
      def body.each = raise("not to be called")
      def body.close = @closed = true

      takeover = lambda do |io|
        io.write("raw")
        io.close
      end
      harness = HttpHarness.new { [200, { "x-a" => "1", "rack.hijack" => takeover }, body] }
      answer = harness.serve(GET)

      assert_equal ["1", nil, nil, "raw"],
                   [answer["x-a"], answer["transfer-encoding"], answer["content-length"], answer.body]
      assert body.instance_variable_get(:@closed)
    end

    test "an upgrade hands over the bare socket" do
      body = lambda do |io|
        io.write(io.readpartial(10).reverse)
        io.close
      end
      harness = HttpHarness.new { [101, { "rack.protocol" => "echo" }, body] }
      harness.with_client do |client|
        client.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n")
        head = BoundedWait.readable(client).readpartial(1000)
        client.write("abc")

        assert_equal ["101 Switching Protocols", "cba"], [head[9, 23], BoundedWait.read(client)]
        assert_equal ["upgrade: echo", "connection: upgrade"], head.lines(chomp: true).grep(/upgrade/)
      end
    end

    test "a streaming body reads the request and writes chunks" do
      body = lambda do |stream|
        stream << stream.read(2)
        stream.write("c", "d")
        stream.flush
        stream.close_write
        stream.close
        assert stream.closed?
      end
      answer = HttpHarness.new { [200, {}, body] }.serve("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab")

      assert_equal "2\r\nab\r\n1\r\nc\r\n1\r\nd\r\n0\r\n\r\n", answer.body
    end

    test "a piece that becomes text after the response has ended reaches nobody" do
      error = nil
      late = Object.new
      body = lambda do |stream|
        late.define_singleton_method(:to_s) { stream.disown || "late" }
        error = assert_raises(IOError) { stream.write(late) }
      end
      answer = HttpHarness.new { [200, {}, body] }.serve("GET / HTTP/1.1\r\nHost: a\r\n\r\n")

      assert_equal "not opened for writing", error.message
      refute_includes answer.raw, "late"
    end

    test "a stream that is left open is ended" do
      kept = nil
      answer = HttpHarness.new { [200, {}, ->(stream) { kept = stream << "a" }] }.serve(GET)

      assert_equal "1\r\na\r\n0\r\n\r\n", answer.body
      assert_raises(IOError) { kept.write("late") }
    end

    test "pieces of a stream arrive when they are written" do
      gate = Queue.new
      body = lambda do |stream|
        stream.write("first")
        gate.pop
      end
      HttpHarness.new { [200, {}, body] }.with_client do |client|
        client.write(GET)
        received = +""
        received << BoundedWait.readable(client).readpartial(1000) until received.end_with?("5\r\nfirst\r\n")
        gate << :go
        assert_equal "0\r\n\r\n", BoundedWait.read(client)
      end
    end

    test "a stream that fails is cut off" do
      answer = HttpHarness.new { [200, {}, ->(stream) { stream << "a" and raise "broken" }] }.serve(GET)
      assert_equal "1\r\na\r\n", answer.body
    end

    test "a stream that failed does not reach the next client" do
      kept = nil
      harness = HttpHarness.new do
        [200, {}, lambda { |stream|
          assert_raises(IOError) { kept.write("evil") } if kept
          kept = stream
          raise "broken"
        }]
      end
      2.times { assert_equal "", harness.serve(GET).body }
    end

    test "what a thread still writes does not reach the next client" do
      writing = nil
      harness = HttpHarness.new do |env|
        if env["PATH_INFO"] == "/next"
          error = assert_raises(IOError) { BoundedWait.value_of(writing) }
          next [200, {}, [error.message]]
        end

        [200, {}, lambda { |stream|
          writing = Thread.new { stream.write("x" * 20_000_000) }
          writing.report_on_exception = false
          eventually { writing.stop? }
          raise "broken"
        }]
      end
      answer = harness.with_client(sent: GET) do # the client reads nothing
        eventually { harness.cycle.events.include?(:finished) && !harness.connection.open? }
        harness.serve("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
      end

      assert_equal [200, "the client that this was meant for is gone"], [answer.status, answer.body]
    end

    test "a stream that is closed waits for what another thread writes" do
      body = lambda do |stream|
        writing = Thread.new { stream.write("x" * 2_000_000) }
        eventually { writing.stop? }
      end

      assert_equal 2_000_000, HttpHarness.new { [200, {}, body] }.serve(GET).text.size
    end

    test "a stream that is too short is logged" do
      harness = HttpHarness.new { [200, { "content-length" => "100" }, ->(stream) { stream.write("a") }] }
      harness.serve(GET)

      assert_equal 1, harness.log.at(:error).grep(/length|short/).size, harness.log.entries.inspect
    end

    test "a partial hijack makes its own chunks" do
      takeover = lambda do |io|
        io.write("5\r\nhello\r\n0\r\n\r\n")
        io.close
      end
      answer = HttpHarness.new { [200, { "transfer-encoding" => "chunked", "rack.hijack" => takeover }, []] }.serve(GET)

      assert_equal ["chunked", "hello"], [answer["transfer-encoding"], answer.text[0, 5]]
    end

    test "a client that asks for an upgrade is told that this connection is closed all the same" do
      answer = HttpHarness.new { [426, { "connection" => "upgrade", "upgrade" => "websocket" }, ["no"]] }.serve(GET)

      assert_includes answer.lines, "connection: close"
    end

    test "HEAD does not call a streaming body" do
      answer = HttpHarness.new { [200, {}, ->(_stream) { flunk }] }.serve("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
      assert_equal [200, ""], [answer.status, answer.body]
    end

    test "the head for HEAD says that a connection ends which a partial hijack takes" do
      takeover = ->(socket) { socket.close }
      answer = HttpHarness.new { [200, { "rack.hijack" => takeover }, []] }.serve("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")

      assert_equal [200, "close"], [answer.status, answer["connection"]]
    end

    test "early hints go before the response" do
      harness = HttpHarness.new(early_hints: true) do |env|
        env["rack.early_hints"].call("link" => "</a>; rel=preload\n</b>; rel=preload", "x" => %w[1 2])
        [200, {}, ["a"]]
      end

      hints, rest = harness.serve(GET).raw.split("\r\n\r\n", 2)
      assert_equal ["HTTP/1.1 103 Early Hints", "link: </a>; rel=preload", "link: </b>; rel=preload", "x: 1", "x: 2"],
                   hints.split("\r\n")
      assert_operator rest, :start_with?, "HTTP/1.1 200 OK\r\n"
    end

    test "early hints that could split the response are refused" do
      harness = HttpHarness.new(early_hints: true) { |env| env["rack.early_hints"].call("a" => "b\r\nc") }
      assert_equal 500, harness.serve(GET).status
    end

    test "early hints that come too late are dropped" do
      harness = HttpHarness.new(early_hints: true) do |env|
        body = Object.new
        body.define_singleton_method(:each) do |&block|
          env["rack.early_hints"].call("a" => "b")
          block.call("c")
        end
        [200, { "content-length" => "1" }, body]
      end
      answer = harness.serve(GET)
      assert_equal [200, "c"], [answer.status, answer.body]
    end

    test "HTTP/1.0 gets no early hints" do
      harness = HttpHarness.new(early_hints: true) { |env| env["rack.early_hints"].call("a" => "b") || [200, {}, []] }
      assert_operator harness.serve("GET / HTTP/1.0\r\n\r\n").raw, :start_with?, "HTTP/1.1 200"
    end

    test "a socket that was taken over is closed when the application fails with it" do
      failing = ->(_io) { raise "x" }
      { 200 => [{ "rack.hijack" => failing }, []], 101 => [{}, failing] }.each do |status, answer|
        harness = HttpHarness.new { [status, *answer] }

        assert_operator harness.serve(GET).raw, :start_with?, "HTTP/1.1 #{status} "
        assert_match(/application error: x/, harness.log.at(:error).join)
      end
    end

    test "the socket may be looked at" do
      owners = nil
      harness = HttpHarness.new do |env|
        port = env["pitchfork.socket"].to_io.local_address.ip_port
        open = ObjectSpace.each_object(BasicSocket).reject(&:closed?)
        owners = open.select { |io| io.autoclose? && io.fileno == harness.connection.fileno }
        [200, {}, [port.to_s]]
      end
      harness.with_client(tcp: true) do |client|
        client.write(GET)
        assert_equal client.remote_address.ip_port.to_s, HttpHarness::Answer.new(BoundedWait.read(client)).body
      end
      assert_empty owners # or the collector would close the connection's descriptor
    end
  end
end
