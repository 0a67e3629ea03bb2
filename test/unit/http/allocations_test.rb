# frozen_string_literal: true

require "test_helper"
require_relative "../../support/http_harness"

module Coppice
  # How many objects the server itself makes for a request: they are what the garbage collector is called for.
  class AllocationsTest < TestCase
    ANSWER = [200, { "content-type" => "text/plain" }.freeze, ["hello"].freeze].freeze
    HELLO = "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"
    BROWSER = "GET /products?page=2 HTTP/1.1\r\nHost: example.com\r\n" \
              "Accept: */*\r\nAccept-Encoding: gzip\r\nAccept-Language: en\r\n" \
              "User-Agent: x\r\nCookie: a=b\r\nConnection: close\r\nX-Request-Id: 1\r\n\r\n"

    test "a hello request costs few objects" do
      assert_operator allocations(HELLO), :<=, 9
    end

    test "a query and each header cost their value and nothing else" do
      assert_operator allocations(BROWSER) - allocations(HELLO), :<=, 8
    end

    test "each further line of a header costs its value, and no copy of the lines before it" do
      ["Cookie: a=b\r\n", "X-Repeated: a\r\n"].each do |line|
        few, many = [1, 41].map { |count| allocations(HELLO.sub(/(?=\r\n\z)/) { line * count }) }
        assert_operator many - few, :<=, 40
      end
    end

    private

    # The fewest of several: others allocate as well.
    def allocations(request)
      harness = HttpHarness.new { ANSWER }
      Array.new(10) { allocations_of(harness, request) }.min
    end

    def allocations_of(harness, request)
      client = harness.connect
      client.write(request)
      before = GC.stat(:total_allocated_objects)
      harness.exchange.serve
      GC.stat(:total_allocated_objects) - before
    ensure
      client&.close
    end
  end
end
