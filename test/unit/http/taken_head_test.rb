# frozen_string_literal: true

require_relative "../../test_helper"
require_relative "../../support/conformance_corpus"
require_relative "../../support/http_harness"

module Coppice
  # A connection that takes a head which another one has read and parsed: the request is the same as if it had read it
  # itself.
  class TakenHeadTest < TestCase
    GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    POST = "POST / HTTP/1.1\r\nHost: a\r\n"
    LONG = "0123456789abcdef" * 4000 # longer than what is read along with a head

    def setup
      super
      @open = []
    end

    def teardown
      @open.each(&:close)
      super
    end

    test "the env and what was read ahead are those of a head of its own" do
      ConformanceCorpus.cases.select(&:accept?).each do |request|
        own = HttpHarness.new
        own_client = own.connect
        own_client.write(request.bytes)
        taken = HttpHarness.new
        taken_client = taken.connect_with_head(request.bytes)

        assert_equal request_of(own.connection), request_of(taken.connection), request.name
      ensure
        [own_client, taken_client].each { |client| client&.close }
      end
    end

    test "a taken head is not parsed again" do
      harness = HttpHarness.new(max_request_line_bytes: 10, max_header_bytes: 20) { |env|
        [200, {}, [env["PATH_INFO"]]]
      }

      assert_equal 414, harness.serve("GET /long HTTP/1.1\r\nHost: a\r\n\r\n").status
      assert_equal "/long", answer_of(harness, "GET /long HTTP/1.1\r\nHost: a\r\n\r\n").body
    end

    test "a body is read on from where the head's reader stopped" do
      requests = {
        "#{POST}Content-Length: 5\r\n\r\nhello" => "hello",
        "#{POST}Content-Length: #{LONG.size}\r\n\r\n#{LONG}" => LONG,
        "#{POST}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n" => "hello!",
        "#{POST}Transfer-Encoding: chunked\r\n\r\n#{LONG.size.to_s(16)}\r\n#{LONG}\r\n0\r\n\r\n" => LONG
      }
      requests.each do |request, body|
        head = request.index("\r\n\r\n") + 4
        [head, head + 1, head + 4, request.size].each { |along| assert_equal body, echo(request, along) }
      end
    end

    test "this connection's limit holds for the body of a taken head" do
      answer = answer_of(HttpHarness.new(max_body_bytes: 4) { flunk }, "#{POST}Content-Length: 5\r\n\r\nhello")

      assert_equal 413, answer.status
    end

    test "a client that expects it is told to continue, unless body bytes came along" do
      head = "#{POST}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n"

      assert_equal "HTTP/1.1 100 Continue\r\n\r\n", first_bytes(head) { |client| client.write("ok") }
      assert_match(%r{\AHTTP/1.1 200 OK\r\n}, first_bytes("#{head}o") { |client| client.write("k") })
    end

    test "the method and version of a taken head decide how the answer is framed" do
      app = ->(_env) { [200, {}, %w[a b].each] }

      assert_equal "", answer_of(HttpHarness.new(app), GET.sub("GET", "HEAD")).body
      answer = answer_of(HttpHarness.new(app), "GET / HTTP/1.0\r\n\r\n")

      assert_equal [nil, "ab"], [answer["transfer-encoding"], answer.body]
    end

    test "a hijacked socket gives what came along with a taken head" do
      io = nil
      harness = HttpHarness.new { |env| (io = env["rack.hijack"].call) && [200, {}, []] }
      client = harness.connect_with_head("#{GET}ahead")
      harness.exchange.serve
      client.write("more")

      assert_equal %w[ahead more], [io.readpartial(100), io.readpartial(100)]
    ensure
      [client, io].each { |socket| socket&.close }
    end

    test "nothing of a taken head is left for the next client, nor the other way round" do
      harness = HttpHarness.new { |env| [200, {}, [env["PATH_INFO"], env.fetch("HTTP_X_A", "-")]] }
      first = "GET /first HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n\r\n"

      assert_equal %w[/first1 /- /first1 /- /-],
                   [answer_of(harness, first), harness.serve(GET), harness.serve(first), answer_of(harness, GET),
                    answer_of(harness, GET)].map(&:body)
    end

    test "a taken head stays as it is when its reader goes on to another client" do
      reader = HttpHarness.new
      harness = HttpHarness.new { |env| [200, {}, [env["PATH_INFO"], env["rack.input"].read]] }
      request = "POST /mine HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody"
      client = harness.connect_with_head(request, reader: reader)
      reader.connect("127.0.0.1", "GET /another HTTP/1.0\r\n#{"X: y\r\n" * 100}\r\n").close
      assert_equal true, reader.connection.read_head
      harness.exchange.serve

      assert_equal "/minebody", HttpHarness::Answer.new(BoundedWait.read(client)).body
    ensure
      reader.connection.close
      client&.close
    end

    test "a head with more fields than there is room for is not taken, nor is the descriptor" do
      harness = HttpHarness.new(max_header_count: 2)

      assert_not_taken(ArgumentError, by: harness) { read("GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 2\r\n\r\n") }
      refute_predicate harness.connection, :open?
    end

    test "only a complete head whose body is untouched can be taken" do
      assert_not_taken(IOError) { HttpHarness.new.connection }
      assert_not_taken(IOError) { read("GET / HTTP/1.1\r\nHost: \r\n\r\n", verdict: 400) }
      ["Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"].each do |rest|
        assert_not_taken(IOError) { read("#{POST}#{rest}").tap { |reader| reader.read_body(1) } }
      end
      continued = "#{POST}Content-Length: 5\r\nExpect: 100-continue\r\n\r\n"
      assert_not_taken(IOError) { read(continued).tap(&:send_continue) }
    end

    test "a connection with a client takes no other's head, and none its own" do
      busy = HttpHarness.new
      client = busy.connect
      assert_not_taken(IOError, by: busy) { read(GET) }
      busy.connection.close

      assert_not_taken(ArgumentError, by: busy) { busy.connection }
    ensure
      client&.close
    end

    private

    def request_of(connection)
      prototype = Http::EnvPrototype.new(HttpHarness::Settings.new(**HttpHarness::DEFAULTS), nil,
        trusted_proxies: Listeners::TrustedProxies.new(HttpHarness::DEFAULTS[:trusted_networks]))
      verdict = connection.read_head
      env = prototype.env_of(connection)
      facts = [verdict, env, env.transform_values { |value| value.encoding if value.is_a?(String) },
               connection.content_length, connection.body?]
      descriptor, ahead = connection.detach
      IO.for_fd(descriptor).close
      [*facts, ahead]
    end

    # Serves this request by a taken head, on this thread.
    def answer_of(harness, request)
      client = harness.connect_with_head(request)
      harness.exchange.serve
      HttpHarness::Answer.new(BoundedWait.read(client))
    ensure
      client&.close
    end

    # Of the request so many bytes are there when the head is read, and the rest comes after the head was taken.
    def echo(request, along)
      harness = HttpHarness.new { |env| [200, {}, [env["rack.input"].read]] }
      client = harness.connect_with_head(request[0, along])
      client.write(request[along..])
      harness.exchange.serve
      HttpHarness::Answer.new(BoundedWait.read(client)).body
    ensure
      client&.close
    end

    # What a client that sent this gets first; yields the client for what it sends then.
    def first_bytes(sent)
      harness = HttpHarness.new { |env| [200, {}, [env["rack.input"].read]] }
      client = harness.connect_with_head(sent)
      serving = Thread.new { harness.exchange.serve }
      yield client unless sent.end_with?("\r\n\r\n") # else it waits for leave
      received = BoundedWait.readable(client).readpartial(1000)
      yield client if sent.end_with?("\r\n\r\n")
      received
    ensure
      BoundedWait.value_of(serving) if serving
      client&.close
    end

    # A connection that has read the head of this request, until the end of the test.
    def read(request, verdict: true)
      reader = HttpHarness.new
      @open.push(reader.connect("127.0.0.1", request), reader.connection)
      assert_equal verdict, reader.connection.read_head
      reader.connection
    end

    # The block's connection cannot give its head, and the descriptor stays the caller's.
    def assert_not_taken(error, by: HttpHarness.new)
      ours, theirs = UNIXSocket.pair
      assert_raises(error) { by.connection.adopt_head(theirs.fileno, "127.0.0.1", yield) }
      theirs.write("open")
      assert_equal "open", ours.readpartial(10)
    ensure
      [ours, theirs].each(&:close)
    end
  end
end
