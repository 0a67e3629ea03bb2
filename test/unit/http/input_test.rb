# frozen_string_literal: true

require_relative "../../test_helper"
require_relative "../../support/http_harness"

module Coppice
  class HttpInputTest < TestCase
    EXPECTING = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n"

    test "without a body there is nothing to read" do
      seen = nil
      HttpHarness.new { |env| (seen = env["rack.input"]) && [200, {}, []] }.serve("GET / HTTP/1.1\r\nHost: a\r\n\r\n")

      assert_equal ["", nil, "", nil, []], [seen.read, seen.read(5), seen.read(0), seen.gets, seen.each.to_a]
      assert_equal "", seen.read(nil, +"old")
    end

    test "a short body is in memory, binary, and can be read twice" do
      with_input(post("h\xC3\xA4llo")) do |input|
        assert_equal "h\xC3\xA4llo".b, input.read
        input.rewind
        assert_equal "h".b, input.read(1)
        assert_equal Encoding::BINARY, input.external_encoding
        assert_kind_of StringIO, input
      end
    end

    test "a body may trickle in" do
      harness = HttpHarness.new { |env| [200, {}, [env["rack.input"].read]] }
      harness.with_client do |client|
        post("first").each_char { |byte| client.write(byte) }
        assert_equal "first", HttpHarness::Answer.new(BoundedWait.read(client)).body
      end
    end

    test "stray bytes after a body do not cost the client its answer" do
      harness = HttpHarness.new { |env| [200, {}, [env["rack.input"].read]] }
      long = "a" * 20_000 # longer than the first read, which would take the stray bytes along
      [post("first"), post(long), chunked_post("5\r\nfirst\r\n0\r\n\r\n")].each do |request|
        harness.with_client(sent: "#{request}\r\n") do |client|
          assert_includes ["first", long], HttpHarness::Answer.new(BoundedWait.read(client)).body
        end
      end
    end

    test "a chunked body is decoded, and has a length like any other" do
      [1000, 3].each do |memory|
        request = chunked_post("5;ext=1\r\nhello\r\n1\r\n!\r\n0\r\n\r\n")
        with_input(request, client_body_buffer_size: memory) do |input, env|
          assert_equal "hello!", input.read
          assert_equal "6", env["CONTENT_LENGTH"]
          refute_includes env, "HTTP_TRANSFER_ENCODING"
        end
      end
    end

    test "trailers never become headers" do
      with_input(chunked_post("2\r\nhi\r\n0\r\nX-Sum: 1\r\nX-Forwarded-Proto: https\r\n\r\n")) do |input, env|
        assert_equal %w[hi http], [input.read, env["rack.url_scheme"]]
        assert_equal %w[HTTP_HOST HTTP_VERSION], env.keys.grep(/\AHTTP_/).sort
      end
    end

    test "an empty chunked body is a body" do
      with_input(chunked_post("0\r\n\r\n")) do |input, env|
        assert_equal ["", "0"], [input.read, env["CONTENT_LENGTH"]]
      end
    end

    test "a body that is too large is refused" do
      harness = HttpHarness.new(max_body_bytes: 4) { flunk }

      assert_equal 413, harness.serve(post("12345")).status
      assert_equal 413, harness.serve(chunked_post("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")).status
      refute_includes harness.cycle.events, :started
    end

    test "a malformed chunk is refused" do
      assert_equal 400, HttpHarness.new { flunk }.serve(chunked_post("x\r\nabc")).status
    end

    test "a body that stalls is answered with 408" do
      harness = HttpHarness.new(client_body_timeout: 0.05) { flunk }
      assert_equal 408, harness.serve("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab").status
    end

    test "the application is not called for a client that leaves in the middle of its body" do
      harness = HttpHarness.new { flunk }
      client = harness.connect
      client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
      client.close
      harness.serve_client

      assert_empty harness.cycle.events
      assert_empty harness.log.at(:error)
    end

    test "a client that expects it is told to continue" do
      harness = HttpHarness.new { |env| [200, {}, [env["rack.input"].read]] }
      harness.with_client do |client|
        client.write(EXPECTING)
        assert_equal CONTINUE, BoundedWait.readable(client).readpartial(100)
        client.write("ok")
        assert_equal "ok", HttpHarness::Answer.new(BoundedWait.read(client)).body
      end
    end

    test "it is told so once" do
      pieces = []
      harness = HttpHarness.new(rewindable_input: false) do |env|
        2.times { pieces << env["rack.input"].readpartial(10) }
        [200, {}, pieces]
      end
      harness.with_client(sent: EXPECTING) do |client|
        BoundedWait.readable(client).readpartial(100)
        client.write("o")
        eventually { pieces.size == 1 }
        client.write("k")
        answer = HttpHarness::Answer.new(BoundedWait.read(client))

        assert_equal [200, "ok"], [answer.status, answer.body]
      end
    end

    test "a client whose request is refused, or that speaks HTTP/1.0, is not told to continue" do
      refused = HttpHarness.new(max_body_bytes: 1) { flunk }
      assert_equal 413, refused.serve(EXPECTING).status
      old = HttpHarness.new(client_body_timeout: 0.05) { flunk }
      assert_equal 408, old.serve("POST / HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n").status
    end

    test "an application that answers 100 to the expectation is called again, when the client was told so once" do
      [true, false].each do |rewindable|
        closed = 0
        app = continuing { closed += 1 }
        answer = HttpHarness.new(app, rewindable_input: rewindable).with_client(sent: EXPECTING) do |client|
          assert_equal CONTINUE, BoundedWait.readable(client).readpartial(100)
          client.write("ok")
          HttpHarness::Answer.new(BoundedWait.read(client))
        end

        assert_equal [200, "ok", 1], [answer.status, answer.body, closed]
      end
    end

    test "a client that speaks HTTP/1.0, or has sent the body, is not told to continue by the application either" do
      [EXPECTING.sub("1.1", "1.0"), EXPECTING].each do |head|
        answer = HttpHarness.new(continuing { nil }, rewindable_input: false).serve("#{head}ok")

        assert_equal [200, "ok"], [answer.status, answer.body]
      end
    end

    test "100 is no answer to a client that did not ask, nor a second time" do
      harness = HttpHarness.new(rewindable_input: false) { ["100", {}, []] }

      assert_equal 500, harness.serve(post("hi")).status
      assert_match(%r{\A#{CONTINUE}HTTP/1\.1 500 }, harness.serve(EXPECTING).raw)
    end

    test "a streaming input reads as the bytes come" do
      pieces = []
      harness = HttpHarness.new(rewindable_input: false) do |env|
        input = env["rack.input"]
        pieces << input.readpartial(100) << input.gets << input.read(2) << input.read << input.read(1)
        [200, {}, []]
      end
      harness.with_client do |client|
        client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 14\r\n\r\nab")
        eventually { !pieces.empty? || !harness.cycle.events.empty? }
        client.write("line\nxy\nmore")
        BoundedWait.read(client)
      end

      assert_equal "abline\nxy\nmore", pieces.join
      assert_nil pieces.last
    end

    test "a streaming input gives lines" do
      lines = nil
      harness = HttpHarness.new(rewindable_input: false) do |env|
        lines = env["rack.input"].each.to_a
        [200, {}, []]
      end
      harness.serve(chunked_post("3\r\na\nb\r\n3\r\nc\nd\r\n0\r\n\r\n"))

      assert_equal ["a\n", "bc\n", "d"], lines
    end

    test "a streaming input promises no rewind, except to Rack 2, which calls it without asking" do
      rewinding = lambda do |env|
        env["rack.input"].rewind if env["rack.input"].respond_to?(:rewind)
        [200, {}, [env["rack.input"].read]]
      end
      rack3, rack2 = [false, true].map do |old|
        Http.stub(:rack2?, old) { HttpHarness.new(rewinding, rewindable_input: false) }
      end

      assert_equal "hi", rack3.serve(post("hi")).body
      assert_equal 500, rack2.serve(post("hi")).status
      assert_match(/rewindable_input is false/, rack2.log.at(:error).join)
    end

    test "a streaming input that its client leaves raises ClientGone" do
      seen = nil
      harness = HttpHarness.new(rewindable_input: false) do |env|
        env["rack.input"].read
      rescue ClientGone => error
        seen = error
        raise
      end
      client = harness.connect
      client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
      client.close
      harness.serve_client

      assert_kind_of EOFError, seen
      assert_empty harness.log.at(:error)
      assert_equal %i[started finished], harness.cycle.events
    end

    test "a streaming input refuses what the client may not send" do
      app = ->(env) { [200, {}, [env["rack.input"].read]] }
      harness = HttpHarness.new(app, rewindable_input: false, max_body_bytes: 4)
      assert_equal 413, harness.serve(chunked_post("5\r\nhello\r\n0\r\n\r\n")).status
    end

    test "the input of one request does not read the next one's" do
      kept = nil
      harness = HttpHarness.new(rewindable_input: false) { |env| (kept ||= env["rack.input"]) && [200, {}, []] }
      harness.serve(post("first"))
      harness.serve(post("second"))

      assert_raises(IOError) { kept.read }
    end

    private

    # An application as in Rack 2; the block is called when the body of its 100 is closed.
    def continuing(&on_close)
      going_on = Object.new.tap { |body| body.define_singleton_method(:close, &on_close) }
      ->(env) { env["HTTP_EXPECT"] ? [100, {}, going_on] : [200, {}, [env["rack.input"].read]] }
    end

    def post(body) = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: #{body.bytesize}\r\n\r\n#{body}"
    def chunked_post(body) = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n#{body}"

    def with_input(request, **settings)
      harness = HttpHarness.new(**settings) { |env| yield(env["rack.input"], env) && [200, {}, []] || [200, {}, []] }
      harness.serve(request)
      assert_empty harness.log.at(:error)
    end
  end
end
