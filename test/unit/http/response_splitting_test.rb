# frozen_string_literal: true

require_relative "../../test_helper"
require_relative "../../support/http_harness"

module Coppice
  # No name and no value of the application can begin another header line or another response, wherever it stands.
  class HttpResponseSplittingTest < TestCase
    # A body whose trailers are the application's.
    Body = Struct.new(:trailers) do
      def each = yield("a")
    end

    GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    VALUES = ["a\r\nb: c", "a\nb: c", "a\rb", "a\0b", "a\r\n", ["ok", "a\nb: c"], ["a\r\nb"], :"a\nb: c"].freeze
    NAMES = ["a b", "a:", "", "a\r\n", "a\r\nb: c\r\nd", "a\0", "ä", "\xFF", nil, 5, :"a b"].freeze

    # Headers of which each is good but for its value or its name.
    EVIL = [*VALUES.map { |value| { "x-evil" => value } }, *NAMES.map { |name| { name => "evil" } }].freeze

    # Names of headers that the server interprets.
    SPECIAL = ["date", "connection", "content-length", "transfer-encoding", "rack.protocol"].freeze

    # Names of headers that are not sent.
    PRIVATE = { "rack.secret" => "1", "Rack.Secret" => "1", "keep-alive" => "timeout=5" }.freeze

    test "header lines" do
      assert_equal [500], EVIL.map { |headers| answer_to(GET, [200, headers, []]).status }.uniq
      assert_empty EVIL.flat_map { |headers| answer_to(GET, [200, headers, []]).lines }.grep(/evil|\A[ab]/)
    end

    test "header lines that the server interprets" do
      answers = SPECIAL.map { |name| answer_to(GET, [101, { name => "upgrade\r\nx-evil: 1" }, []]) }
      assert_equal [[500], []], [answers.map(&:status).uniq, answers.flat_map(&:lines).grep(/evil/)]
    end

    test "with Rack 2 a line feed joins several lines, and nothing else does" do
      assert_equal ["x: 1", "x: 2"], joined("1\n2").lines.grep(/x/)
      assert_equal [500, 500, 500], ["a\r\nb", "a\rb", "a\n\0"].map { |value| joined(value).status }
      assert_equal 500, joined(["a\nb"]).status
    end

    test "early hints" do
      hints = EVIL.reject { |headers| headers["x-evil"].to_s == "a\nb: c" } # a line feed joins hints with every Rack
      answers = hints.map { |headers| answer_with_hints({ "link" => "</a>" }.merge(headers)) }
      assert_equal ["HTTP/1.1 500 Internal Server Error\r\n"], answers.map { |answer| answer.raw.lines.first }.uniq
    end

    test "a line feed in early hints begins a header of the same name" do
      assert_includes answer_with_hints({ "link" => "a\nb: c" }).raw, "103 Early Hints\r\nlink: a\r\nlink: b: c\r\n\r\n"
    end

    test "trailers, which leave the response without its end" do
      answers = EVIL.map { |trailers| answer_to(GET, [200, {}, Body.new({ "x-sum" => "1" }.merge(trailers))]) }
      assert_equal [[200, "1\r\na\r\n"]], answers.map { |answer| [answer.status, answer.body] }.uniq
    end

    test "headers that are meant for the server or Rack are not sent" do
      header = answer_to(GET, [200, PRIVATE.merge("connection" => "keep-alive"), []])
      assert_equal ["connection: close"], header.lines.grep(/rack|connection|keep/i)

      assert_includes answer_with_hints(PRIVATE.merge("link" => "</a>")).raw, "103 Early Hints\r\nlink: </a>\r\n\r\n"
      assert_equal "1\r\na\r\n0\r\n\r\n", answer_to(GET, [200, {}, Body.new(PRIVATE)]).body
    end

    private

    # Another test may have loaded Rack 2.
    def answer_to(request, response)
      Http.stub(:rack2?, false) { HttpHarness.new { response } }.serve(request)
    end

    def answer_with_hints(headers)
      harness = HttpHarness.new(early_hints: true) { |env| env["rack.early_hints"].call(headers) || [200, {}, []] }
      harness.serve(GET)
    end

    def joined(value)
      Http.stub(:rack2?, true) { HttpHarness.new { [200, { "x" => value }, []] } }.serve(GET)
    end
  end
end
