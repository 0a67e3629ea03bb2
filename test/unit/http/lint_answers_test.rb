# frozen_string_literal: true

require "tempfile"
require_relative "../../test_helper"
require_relative "../../support/lint_test_case"

module Coppice
  # Rack::Lint between the server and every kind of response that the SPEC allows.
  class HttpLintAnswersTest < LintTestCase
    # Each piece in a chunk of its own; counts how often it is closed.
    class Body
      attr_reader :closed

      def initialize(*pieces)
        @pieces = pieces
        @closed = 0
      end

      def each(&block) = @pieces.each(&block)
      def close = @closed += 1
    end

    test "an Array is sent with its length" do
      answer = lint(GET) { [200, TEXT.dup, %w[ab c]] }
      assert_equal "abc", answer.text
      assert_equal "3", answer["content-length"] unless rack2? # whose Lint hides that it is an Array
    end

    test "a body with each is sent in chunks and closed" do
      body = Body.new("ab", "c")
      assert_equal ["2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", 1], [lint(GET) { [200, TEXT.dup, body] }.body, body.closed]
    end

    test "a body with each and a length is sent as it is" do
      body = Body.new("ab", "c")
      answer = lint(GET) { [200, TEXT.merge("content-length" => "3"), body] }
      assert_equal ["abc", "3", 1], [answer.body, answer["content-length"], body.closed]
    end

    test "a body in a proxy is closed" do
      closed = 0
      answer = lint(GET) { [200, TEXT.dup, ::Rack::BodyProxy.new(["abc"]) { closed += 1 }] }
      assert_equal ["abc", 1], [answer.text, closed]
    end

    test "Rack 10 is newer than Rack 2" do
      body = Body.new("abc")
      def body.to_ary = ["abc"].tap { close }
      ::Rack.stub(:release, "10.0.0") do
        harness = HttpHarness.new(->(_env) { [200, TEXT.dup, body] })

        assert_equal "3", harness.serve(GET)["content-length"]
      end
    end

    test "a body with to_path is sent as a file, and closed" do
      Tempfile.create("coppice-test") do |file|
        file.write("content")
        file.flush
        body = Body.new("content")
        body.define_singleton_method(:to_path) { file.path }
        answer = lint(GET) { [200, TEXT.dup, body] }
        assert_equal ["content", 1], [answer.text, body.closed]
        assert_equal "7", answer["content-length"] unless rack2? # whose Lint hides to_path
      end
    end

    test "Lint, which knows no trailers, lets none through" do
      body = Body.new("a")
      def body.trailers = { "x-sum" => "1" }

      assert_equal "1\r\na\r\n0\r\n\r\n", lint(GET) { [200, TEXT.dup, body] }.body
    end

    test "HEAD gets the head of a GET" do
      body = Body.new
      answer = lint(HEAD) { [200, TEXT.merge("content-length" => "3"), body] }
      assert_equal [200, "3", "", 1], [answer.status, answer["content-length"], answer.body, body.closed]
    end

    test "204 and 304 have neither body nor length" do
      [204, 304].each do |status|
        body = Body.new
        answer = lint(GET) { [status, {}, body] }
        assert_equal [status, nil, nil, "", 1],
          [answer.status, answer["content-length"], answer["transfer-encoding"], answer.body, body.closed]
      end
    end

    test "several cookies have a line each" do
      cookies = rack2? ? "a=1\nb=2" : %w[a=1 b=2]
      answer = lint(GET) { [200, TEXT.merge("set-cookie" => cookies), []] }
      assert_equal ["set-cookie: a=1", "set-cookie: b=2"], answer.lines.grep(/cookie/)
    end

    test "Rack::Response makes good answers, whole and written to by a block" do
      assert_equal "abc", lint(GET) { ::Rack::Response.new("abc", 200, TEXT.dup).finish }.text
      answer = lint(GET) do
        ::Rack::Response.new([], 200, TEXT.dup).finish { |response| %w[a b].each { |piece| response.write(piece) } }
      end
      assert_equal "ab", answer.text
    end
  end
end
