# frozen_string_literal: true

require "fcntl"

require_relative "../../test_helper"
require_relative "../../support/http_harness"

module Coppice
  # The course of a request: what is called when, and how a client is closed.
  class HttpExchangeTest < TestCase
    GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    # How a response can end: what an application makes of a body and env. The client reads a little, then leaves.
    ENDS = {
      "answers" => ->(body, _) { [200, {}, body] },
      "answers without a body to send" => ->(body, _) { [204, {}, body] },
      "says the wrong length" => ->(body, _) { [200, { "content-length" => "100" }, body] },
      "has a bad header" => ->(body, _) { [200, { "x" => "\n" }, body] },
      "has a bad status" => ->(body, _) { [nil, {}, body] },
      "fails within the body" => ->(body, _) { [200, {}, body.tap { def body.each = yield("a") && raise("broken") }] },
      "fails before its first piece" => ->(body, _) { [200, {}, body.tap { def body.each = raise("broken") }] },
      "fails while it streams" => lambda do |body, _|
        [200, {}, streaming(body) { |stream| stream.write("a") && raise("broken") }]
      end,
      "has a bad trailer" => ->(body, _) { [200, {}, body.tap { def body.trailers = { "x" => "\n" } }] },
      "takes the socket over" => ->(body, env) { env["rack.hijack"].call.close || [200, {}, body] },
      "takes it over behind the head" => ->(body, _) { [200, { "rack.hijack" => :close.to_proc }, body] },
      "fails behind the head" => lambda do |body, _|
        [200, { "rack.hijack" => ->(io) { io.close || raise("broken") } }, body]
      end,
      "writes more than the client reads" => lambda do |body, _|
        [200, {}, body.tap { def body.each = loop { yield "x" * 100_000 } }]
      end,
    }.freeze

    test "callbacks run when the client has its answer, the body's close before them" do
      order = []
      harness = HttpHarness.new do |env|
        env["rack.response_finished"] << ->(*) { order << :first } << ->(*) { order << :second }
        last = -> { order << [:last, harness.connection.open?, harness.cycle.events.dup] }
        env["rack.after_reply"] << -> { order << :reply } << last
        [200, {}, body_that { order << :closed }]
      end
      harness.serve(GET)

      assert_equal [:closed, :second, :first, :reply, [:last, false, %i[started answered]]], order
      assert_equal %i[started answered finished], harness.cycle.events
    end

    test "callbacks learn what was answered, and what went wrong" do
      seen = []
      app = lambda do |env|
        env["rack.response_finished"] << ->(*arguments) { seen << arguments }
        env["PATH_INFO"] == "/" ? [200, { "a" => "b" }, []] : raise("broken")
      end
      harness = HttpHarness.new(app)
      harness.serve(GET)
      harness.serve("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")

      assert_equal [200, { "a" => "b" }, nil], seen[0].drop(1)
      assert_equal "/", seen[0][0]["PATH_INFO"]
      assert_equal [nil, nil, "broken"], seen[1][1..2] << seen[1][3].message
    end

    test "a callback that fails is logged, and keeps no other from running" do
      ran = []
      harness = HttpHarness.new do |env|
        env["rack.response_finished"] << ->(*) { ran << 1 } << ->(*) { raise "one" }
        env["rack.after_reply"] << -> { raise "two" } << -> { ran << 2 }
        [200, {}, body_that { raise "three" }]
      end

      assert_equal 200, harness.serve(GET).status
      assert_equal [1, 2], ran
      assert_equal 3, harness.log.at(:error).size
    end

    test "callbacks that are no list, or that recurse without an end, harm nobody" do
      recursion = ->(*arguments) { recursion.call(*arguments) }
      ran = []
      harness = HttpHarness.new do |env|
        env["rack.response_finished"] << ->(*) { ran << :first } << recursion
        env["rack.after_reply"] = -> { ran << :reply }
        [200, {}, []]
      end

      assert_equal 200, harness.serve(GET).status
      assert_equal %i[first reply], ran
    end

    test "the body is closed once and the callbacks run once, however a response ends" do
      ran = ENDS.transform_values do |ending|
        counts = Hash.new(0)
        harness = HttpHarness.new do |env|
          env["rack.response_finished"] << ->(*) { counts[:finished] += 1 }
          instance_exec(body_that { counts[:closed] += 1 }, env, &ending)
        end
        harness.with_client(sent: GET) do |client|
          BoundedWait.readable(client).read_nonblock(100, exception: false)
        end
        [counts, harness.cycle.events]
      end
      assert_equal [[{ closed: 1, finished: 1 }, %i[started answered finished]]], ran.values.uniq, ran
    end

    test "callbacks run although the body's close leaves the process" do
      ran = []
      harness = HttpHarness.new do |env|
        env["rack.response_finished"] << ->(*) { ran << 1 }
        [200, {}, body_that { exit(3) }]
      end
      client = harness.connect
      client.write(GET)

      assert_raises(SystemExit) { harness.serve_client }
      assert_equal [1], ran
      client.close
    end

    { "exits" => -> { exit(3) }, "is out of memory" => -> { raise NoMemoryError, "no memory" },
      "is interrupted" => -> { raise Interrupt }, "gets a signal" => -> { raise SignalException, "ALRM" } }
      .each do |does, leave|
      test "an application that #{does} leaves its client with an answer" do
        harness = HttpHarness.new { leave.call }
        client = harness.connect
        client.write(GET)

        assert_raises(*UserCodeError::OF_THE_PROCESS) { harness.serve_client }
        assert_equal 500, HttpHarness::Answer.new(BoundedWait.read(client)).status
        assert_equal %i[started finished], harness.cycle.events
        client.close
      end
    end

    test "what an application answers after its time was over is no error: its client has the answer of the timeout" do
      finished = nil
      harness = HttpHarness.new do |env|
        env["rack.response_finished"] << ->(*arguments) { finished = arguments.drop(1) }
        harness.exchange.expire
        [200, {}, body_that { nil }]
      end

      assert_equal 503, harness.serve(GET).status
      assert_empty harness.log.at(:error)
      assert_equal [nil, nil, nil], finished
    end

    test "an error of an application after its time was over is logged, also one of its body" do
      broken = -> { raise IOError, "closed stream" }
      body = Class.new { def each = yield("a") }.new
      body.define_singleton_method(:to_ary, &broken)
      [broken, -> { [200, {}, body] }].each do |late|
        harness = HttpHarness.new do
          harness.exchange.expire
          late.call
        end

        assert_equal 503, harness.serve(GET).status
        assert_equal 1, harness.log.at(:error).size
      end
    end

    test "the observer sees env before the application does" do
      harness = HttpHarness.new { |env| [200, {}, [env["test.started"].to_s]] }
      assert_equal "true", harness.serve(GET).body
    end

    test "a refused request gets a page of text, and the application is not called" do
      harness = HttpHarness.new { flunk }
      answer = harness.serve("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")

      assert_equal [400, "close", answer.body.bytesize.to_s],
                   [answer.status, answer["connection"], answer["content-length"]]
      assert_equal "text/plain; charset=utf-8", answer["content-type"]
      assert_equal [:refused], harness.cycle.events
    end

    test "limits of the head" do
      harness = HttpHarness.new(max_request_line_bytes: 100, max_header_bytes: 1000, max_header_count: 5) { flunk }

      assert_equal 414, harness.serve("GET /#{'a' * 200} HTTP/1.1\r\nHost: a\r\n\r\n").status
      assert_equal 431, harness.serve("GET / HTTP/1.1\r\nHost: a\r\nX: #{'a' * 2000}\r\n\r\n").status
      assert_equal 431, harness.serve("GET / HTTP/1.1\r\nHost: a\r\n#{"X: 1\r\n" * 6}\r\n").status
    end

    test "a head larger than one read is read" do
      harness = HttpHarness.new { |env| [200, {}, [env["HTTP_X"].bytesize.to_s]] }
      assert_equal "60000", harness.serve("GET / HTTP/1.1\r\nHost: a\r\nX: #{'a' * 60_000}\r\n\r\n").body
    end

    test "a head that trickles is answered with 408, a connection without a byte not at all" do
      harness = HttpHarness.new(client_header_timeout: 0.05) { flunk }

      answer = harness.with_client(sent: "GET / HT") { |client| HttpHarness::Answer.new(BoundedWait.read(client)) }
      assert_equal 408, answer.status
      assert_equal "", harness.serve("").raw
    end

    test "a client that leaves in the middle of the head is no error" do
      harness = HttpHarness.new { flunk }
      client = harness.connect
      client.write("GET /")
      client.close
      assert_nil harness.serve_client

      assert_empty harness.log.entries.reject { |level, *| level == :debug }
    end

    test "with check_client_connection the application is not called for a client that left" do
      harness = HttpHarness.new(check_client_connection: true) { flunk }
      client = harness.connect
      client.write(GET)
      client.close
      harness.serve_client
      assert_empty harness.cycle.events

      assert_equal 200, HttpHarness.new(check_client_connection: true) { [200, {}, []] }.serve(GET).status
    end

    test "an early answer reaches a client that is still sending" do
      harness = HttpHarness.new(max_body_bytes: 10) { flunk }
      request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n#{'x' * 50_000}"
      [true, false].each do |tcp|
        harness.with_client(tcp: tcp, sent: request) do |client|
          client.write("x" * 450_000)
          assert_equal 413, HttpHarness::Answer.new(BoundedWait.read(client)).status
        end
      end
    end

    test "a process forked meanwhile can close the client, which notices nothing" do
      harness = HttpHarness.new
      connection = harness.connection
      client = harness.connect("127.0.0.1", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
      connection.read_head
      connection.respond(200, {}, []) # with the body unread, an own client would be waited for
      BoundedWait.readable(client).readpartial(1000)
      %i[forget close abort].each do |way|
        pid = fork do
          connection.public_send(way)
          exit!(connection.open? ? 1 : 0)
        end
        assert_predicate BoundedWait.status_of(pid), :success?
      end

      assert_equal :wait_readable, client.read_nonblock(1, exception: false)
      connection.forget
      assert_nil client.read_nonblock(1, exception: false)
    ensure
      client.close
    end

    test "accept answers false when there is no client" do
      server = TCPServer.new("127.0.0.1", 0)
      server.fcntl(Fcntl::F_SETFL, File::NONBLOCK)

      assert_equal false, HttpHarness.new.connection.accept(server.fileno)
    ensure
      server.close
    end

    test "without a client every method says so" do
      connection = HttpHarness.new.connection

      assert_nil connection.close
      assert_raises(IOError) { connection.read_head }
      assert_raises(IOError) { connection.write("a") }
      assert_raises(IOError) { connection.env({}, nil, false) }
      refute connection.open?
    end

    private

    def body_that(&on_close)
      body = Class.new { def each = yield("a") }.new
      body.define_singleton_method(:close, &on_close)
      body
    end

    # Rack 3: a body with `call` in place of `each`.
    def streaming(body, &stream)
      body.singleton_class.undef_method(:each)
      body.define_singleton_method(:call, &stream)
      body
    end
  end
end
