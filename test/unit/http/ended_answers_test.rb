# frozen_string_literal: true

require_relative "../../test_helper"
require_relative "../../support/http_harness"

module Coppice
  # What an application keeps of an answer that has ended: it must reach no other client, and hold up none.
  class EndedAnswersTest < TestCase
    GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    OLD_GET = "GET / HTTP/1.0\r\n\r\n"

    # A body that keeps the block of its `each`.
    class Keeping
      attr_reader :block

      def initialize(error = nil) = @error = error

      def each(&block)
        @block = block
        yield "mine"
        raise @error if @error
      end
    end

    test "a piece that comes after the end of its answer does not reach the next client" do
      [nil, "broken"].each do |error|
        kept = Keeping.new(error)
        refused = nil
        next_body = Enumerator.new do |pieces|
          pieces << "yours"
          refused = assert_raises(IOError) { kept.block.call("secret") }
        end
        bodies = [kept, next_body]
        harness = HttpHarness.new { [200, {}, bodies.shift] }
        answers = Array.new(2) { harness.serve(GET).text }

        assert_equal %w[mine yours], answers
        assert_equal "the response has ended", refused.message
      end
    end

    test "a process that the application has forked does not hold up the end of its answer" do
      [false, true].each do |tcp|
        reader, writer = IO.pipe
        pid = nil
        harness = HttpHarness.new(lobby: false) do
          pid = fork { reader.read } # the test has the other end, and this process as well: it waits to be killed
          [200, {}, ["whole"].each]
        end
        assert_equal "whole", harness.serve(OLD_GET, tcp: tcp).body
      ensure
        [reader, writer].each(&:close)
        Process.kill(:KILL, pid)
        BoundedWait.status_of(pid)
      end
    end
  end
end
