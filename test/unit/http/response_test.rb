# frozen_string_literal: true

require "rack/body_proxy"
require "tempfile"

require_relative "../../test_helper"
require_relative "../../support/http_harness"

module Coppice
  class HttpResponseTest < TestCase
    # A body that counts how often it is closed.
    class Body
      attr_reader :closed

      def initialize(*pieces, &after)
        @pieces = pieces
        @after = after
        @closed = 0
      end

      def each(&block)
        @pieces.each(&block)
        @after&.call
      end

      def close = @closed += 1
    end

    GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    OLD_GET = "GET / HTTP/1.0\r\n\r\n"
    HEAD = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"

    test "an Array of Strings gets its length" do
      answer = answer_to(GET, [201, { "content-type" => "text/plain" }, %w[ab c]])

      assert_equal "HTTP/1.1 201 Created", answer.head.lines.first.chomp
      assert_equal %w[text/plain 3 close], [answer["content-type"], answer["content-length"], answer["connection"]]
      assert_equal "abc", answer.body
      assert_match(/\A\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\z/, answer["date"])
    end

    test "the application's own date, length and spelling are kept" do
      answer = answer_to(GET, [200, { "Date" => "today", "Content-Length" => "2" }, Body.new("ab")])

      assert_equal ["Date: today"], answer.lines.grep(/date/i)
      assert_equal ["content-length: 2"], answer.lines.grep(/length/i)
      assert_equal "ab", answer.body
    end

    test "a body of unknown length is sent in chunks" do
      answer = answer_to(GET, [200, {}, Body.new("hello", "", "x" * 20)])

      assert_equal "chunked", answer["transfer-encoding"]
      assert_equal "5\r\nhello\r\n14\r\n#{'x' * 20}\r\n0\r\n\r\n", answer.body
    end

    test "to HTTP/1.0 a body of unknown length is sent until the end of the connection" do
      answer = answer_to(OLD_GET, [200, {}, Body.new("hello")])

      assert_nil answer["transfer-encoding"]
      assert_equal "hello", answer.body
    end

    test "trailers of the body follow its last chunk" do
      body = Body.new("a")
      def body.trailers = { "x-sum" => "1", "content-length" => "9" }

      assert_equal "1\r\na\r\n0\r\nx-sum: 1\r\n\r\n", answer_to(GET, [200, {}, body]).body
    end

    test "chunks that the application made itself pass as they are" do
      answer = answer_to(GET, [200, { "Transfer-Encoding" => "chunked" }, Body.new("1\r\na\r\n", "0\r\n\r\n")])

      assert_equal ["chunked", "1\r\na\r\n0\r\n\r\n"], [answer["transfer-encoding"], answer.body]
    end

    test "HEAD, 101, 204 and 304 have no body, which is closed all the same" do
      [[HEAD, 200], [GET, 101], [GET, 204], [GET, 304]].each do |request, status|
        body = Body.new("hello") { flunk "it is not to be read" }
        answer = answer_to(request, [status, { "content-length" => "5" }, body])

        assert_equal [status, "", 1], [answer.status, answer.body, body.closed]
        assert_equal ([101, 204].include?(status) ? [] : ["content-length: 5"]), answer.lines.grep(/length/)
        assert_nil answer["transfer-encoding"]
      end
    end

    test "a body with to_ary is sent with a content-length, and closed once" do
      body = Body.new("a", "b")
      body.define_singleton_method(:to_ary) { raise "to_ary would close it" }
      answer = answer_to(GET, [200, {}, body])

      assert_equal ["ab", "2", 1], [answer.body, answer["content-length"], body.closed]
    end

    test "a body whose to_ary returns nil, as Ruby allows, is sent by its each" do
      body = %w[a b].each
      body.define_singleton_method(:to_ary) { nil }

      assert_equal "ab", answer_to(GET, [200, {}, body]).text
    end

    test "what a body's close does costs its client nothing: it has the answer by then" do
      closed = 0
      body = ::Rack::BodyProxy.new(["ab"]) { closed += 1 and raise "too late to matter" }
      answer = answer_to(GET, [200, {}, body])

      assert_equal [200, "ab", 1], [answer.status, answer.body, closed]
    end

    test "a value may be an Array, a number or nothing" do
      answer = answer_to(GET, [200, { "set-cookie" => %w[a=1 b=2], "x-number" => 5, "x-none" => nil }, []])

      assert_equal ["set-cookie: a=1", "set-cookie: b=2", "x-number: 5"], answer.lines.grep(/\A(set|x-)/)
    end

    test "headers may be anything with each, as in Rack 2" do
      assert_equal "1", answer_to(GET, [200, [["x-one", "1"]], []])["x-one"]
      answer = answer_to(GET, [200, [["set-cookie", "a=1"], ["x-a", "1"], ["set-cookie", "b=2"]], []])

      assert_equal ["set-cookie: a=1", "set-cookie: b=2"], answer.lines.grep(/cookie/)
      assert_equal "a", answer_to(GET, [200, Hash.new { [] }, ["a"]]).body # which makes up a rack.hijack
    end

    test "a malformed response is answered with 500, and the log says why" do
      nonsense = {
        nil => /NilClass/, [200, {}] => /2 values/, [99, {}, []] => /status is 99/, [1000, {}, []] => /status is 1000/,
        [nil, {}, []] => /status is nil/, ["2x", {}, []] => /status/, [200, nil, []] => /headers are of class NilClass/,
        [200, {}, nil] => /NilClass/,
        [200, {}, "text"] => /neither each nor call/, [200, {}, [1]] => /Integer/,
        [200, { "content-length" => "five" }, []] => /content-length is "five"/,
        [200, { "content-length" => %w[1 2] }, []] => /several/,
        [200, { "content-length" => "1", "Content-Length" => "2" }, ["x"]] => /given twice/,
        [200, { "transfer-encoding" => "gzip" }, []] => /transfer-encoding/, [103, {}, []] => /rack.early_hints/
      }
      nonsense.each do |answer, reason|
        harness = HttpHarness.new { answer }
        assert_equal 500, harness.serve(GET).status, answer.inspect
        assert_match reason, harness.log.at(:error).join
      end
    end

    test "a body beyond its content-length is cut" do
      [%w[abc def], Body.new("abc", "def")].each do |body|
        harness = HttpHarness.new { [200, { "content-length" => "4" }, body] }

        assert_equal "abcd", harness.serve(GET).body
        assert_match(/2 bytes longer/, harness.log.at(:error).join)
      end
    end

    test "a body short of its content-length ends early" do
      harness = HttpHarness.new { [200, { "content-length" => "4" }, ["abc"]] }

      assert_equal "abc", harness.serve(GET).body
      assert_match(/1 bytes shorter/, harness.log.at(:error).join)
    end

    test "an error of the application is answered with 500 and logged once" do
      [RuntimeError, NotImplementedError, SystemStackError, SecurityError].each do |error|
        harness = HttpHarness.new { raise error, "broken" }
        answer = harness.serve(GET)

        assert_equal [500, answer.body.bytesize.to_s], [answer.status, answer["content-length"]]
        assert_equal ["application error: broken (#{error})"], harness.log.at(:error)
        refute_includes answer.body, "broken"
        assert_equal %i[started finished], harness.cycle.events
      end
    end

    test "an error before the first piece can still be answered" do
      body = Body.new { raise "broken" }
      assert_equal [500, 1], [answer_to(GET, [200, {}, body]).status, body.closed]
    end

    test "an error after the first piece cuts the response off" do
      body = Body.new("abc") { raise "broken" }
      answer = answer_to(GET, [200, {}, body])

      assert_equal [200, "3\r\nabc\r\n", 1], [answer.status, answer.body, body.closed]
    end

    test "a file is sent whole" do
      with_file("0123456789" * 50_000) do |file|
        body = Body.new
        body.define_singleton_method(:to_path) { file.path }
        body.define_singleton_method(:each) { flunk "the kernel is to send it" }
        answer = HttpHarness.new { [200, {}, body] }.serve(GET, tcp: true)

        assert_equal "500000", answer["content-length"]
        assert_equal File.binread(file.path), answer.body
        assert_equal 1, body.closed
      end
    end

    test "a file whose bytes have a transfer coding, or that has no size, is sent by each" do
      with_file("3\r\nabc\r\n0\r\n\r\n") do |file|
        body = Body.new(File.read(file.path))
        body.define_singleton_method(:to_path) { file.path }
        assert_equal "abc", answer_to(GET, [200, { "transfer-encoding" => "chunked" }, body]).text
      end
      body = Body.new("from /proc")
      body.define_singleton_method(:to_path) { "/proc/self/status" }
      assert_equal "from /proc", answer_to(GET, [200, {}, body]).text
    end

    test "a part of a file, or what is none, is sent by each" do
      with_file("0123456789") do |file|
        [[file.path, "3"], ["/nonexistent", "3"], ["/dev/null", "3"], [nil, "3"]].each do |path, length|
          body = Body.new("345")
          body.define_singleton_method(:to_path) { path }
          assert_equal "345", answer_to(GET, [200, { "content-length" => length }, body]).body
        end
      end
    end

    test "large answers arrive whole, in one piece or many" do
      large = Random.bytes(3_000_000)
      pieces = Array.new(3000) { |index| large.byteslice(index * 1000, 1000) }

      assert_equal large, answer_to(GET, [200, {}, [large]]).body
      assert_equal large, answer_to(GET, [200, {}, pieces]).body
      assert_equal large, answer_to(GET, [200, { "content-length" => "3000000" }, Body.new(*pieces)]).body
    end

    test "a String that changes while it waits to be sent is sent as it was" do
      sent = "a" * 3_000_000
      harness = HttpHarness.new { [200, {}, [sent]] }
      harness.with_client do |client|
        client.write(GET)
        BoundedWait.readable(client).readpartial(100)
        large = "a" * 3_000_000
        sent.replace("b")
        assert_equal large[-2_000_000..], BoundedWait.read(client)[-2_000_000..]
      end
    end

    test "a client that leaves in the middle of the response is no error" do
      endless = Body.new
      def endless.each = loop { yield "x" * 10_000 }

      harness = HttpHarness.new { [200, {}, endless] }
      harness.with_client do |client|
        client.write(GET)
        BoundedWait.readable(client).readpartial(100)
      end

      assert_equal [1, []], [endless.closed, harness.log.at(:error)]
      assert_equal %i[started finished], harness.cycle.events
    end

    test "the connection of a client that does not read is closed" do
      body = Body.new("x" * 5_000_000)
      harness = HttpHarness.new(client_write_timeout: 0.05) { [200, {}, body] }
      client = harness.connect
      client.write(GET)
      harness.serve_client

      assert_equal [1, []], [body.closed, harness.log.at(:error)]
    ensure
      client.close
    end

    test "exits and throws pass through, after cleanup" do
      [-> { exit(3) }, -> { throw :unwound }].each do |leave|
        body = Body.new("a", &leave)
        harness = HttpHarness.new { [200, {}, body] }
        client = harness.connect
        client.write(GET)
        left = catch(:unwound) { assert_raises(SystemExit) { harness.serve_client } }

        assert_equal [1, false, %i[started finished]], [body.closed, harness.connection.open?, harness.cycle.events]
        assert_equal "1\r\na\r\n", HttpHarness::Answer.new(BoundedWait.read(client)).body
        assert(left.nil? || left.is_a?(SystemExit))
      ensure
        client&.close
      end
    end

    private

    def answer_to(request, response, **settings)
      Http.stub(:rack2?, false) { HttpHarness.new(**settings) { response } }.serve(request) # a neighbour may load it
    end

    def with_file(content)
      Tempfile.create("coppice-test") do |file|
        file.write(content)
        file.flush
        yield file
      end
    end
  end
end
