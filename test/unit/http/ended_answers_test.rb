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
        forking(["whole"].each) { |harness| assert_equal "whole", harness.serve(OLD_GET, tcp: tcp).body }
        forking(Keeping.new("broken")) do |harness|
          cut = harness.with_client(tcp: tcp, sent: OLD_GET) { |client| end_of(client) }
          assert_equal tcp ? :reset : :closed, cut
        end
      end
    end

    private

    # Yields a harness whose application forks a process that lives until the block has returned.
    def forking(body)
      pid = nil
      yield(HttpHarness.new(lobby: false) do
        pid = fork { sleep }
        [200, {}, body]
      end)
    ensure
      Process.kill(:KILL, pid)
      BoundedWait.status_of(pid)
    end

    def end_of(client)
      BoundedWait.read(client)
      :closed
    rescue Errno::ECONNRESET
      :reset
    end
  end
end
