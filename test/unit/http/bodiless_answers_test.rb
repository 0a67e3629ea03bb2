# frozen_string_literal: true

require_relative "../../test_helper"
require_relative "../../support/http_harness"

module Coppice
  # Answers without a body, and what their heads say of its length.
  class BodilessAnswersTest < TestCase
    GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    HEAD = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"

    test "what HEAD and 304 would have in chunks that the application makes has no length" do
      chunked = { "transfer-encoding" => "chunked" }
      [[HEAD, 200, ["1\r\na\r\n0\r\n\r\n"]], [HEAD, 200, []], [GET, 304, []]].each do |request, status, body|
        assert_equal [[], ""], framing_and_body(request, [status, chunked, body])
        assert_equal [[], ""], framing_and_body(request, [status, { **chunked, "content-length" => "1" }, body])
      end
    end

    test "205 has a content-length of 0, and a tunnel has none" do
      connect = "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n"

      assert_equal [["content-length: 0"], ""], framing_and_body(GET, [205, {}, ["x"]])
      assert_equal [[], ""], framing_and_body(connect, [200, {}, ["x"]])
      assert_equal [["content-length: 1"], "x"], framing_and_body(connect, [404, {}, ["x"]])
    end

    test "101 is no answer to HTTP/1.0, which has no status of that kind" do
      upgrade = { "rack.protocol" => "echo" }
      harness = HttpHarness.new { [101, upgrade, ->(_socket) { flunk "it is not to be called" }] }

      assert_equal 500, harness.serve("GET / HTTP/1.0\r\nUpgrade: echo\r\nConnection: upgrade\r\n\r\n").status
      assert_match(%r{101 for an HTTP/1.0 client}, harness.log.at(:error).join)
      assert_equal 500, HttpHarness.new { [101, upgrade, []] }.serve("GET / HTTP/1.0\r\n\r\n").status
    end

    private

    def framing_and_body(request, response)
      answer = HttpHarness.new { response }.serve(request)
      [answer.lines.grep(/length|transfer/), answer.body]
    end
  end
end
