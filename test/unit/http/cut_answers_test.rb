# frozen_string_literal: true

require_relative "../../test_helper"
require_relative "../../support/http_harness"

module Coppice
  # Answers whose end is the end of the connection: one that is cut off must not look whole.
  class CutAnswersTest < TestCase
    GET = "GET / HTTP/1.0\r\n\r\n"
    CUTS = { "an error" => -> { raise "broken" }, "exit" => -> { exit }, "throw" => -> { throw :cut },
             "an Exception" => -> { raise Interrupt } }.freeze

    CUTS.each do |name, cut|
      test "one that #{name} cuts off ends in a reset" do
        assert_reset(HttpHarness.new { [200, {}, Enumerator.new { |body| body << ("a" * 100_000) && cut.call }] })
      end
    end

    test "one that its client does not read ends in a reset" do
      assert_reset(HttpHarness.new(lobby: false, client_write_timeout: 0.05) { [200, {}, ["x" * 20_000_000].each] })
    end

    test "a whole one does not" do
      assert_equal "whole", HttpHarness.new { [200, {}, ["whole"].each] }.serve(GET, tcp: true).body
    end

    private

    def assert_reset(harness)
      client = harness.connect_by_tcp
      client.write(GET)
      serve(harness)

      assert_raises(Errno::ECONNRESET) { BoundedWait.read(client) }
    ensure
      client.close
    end

    def serve(harness)
      catch(:cut) { harness.serve_client }
    rescue SystemExit, Interrupt
      nil # that is how it was cut
    end
  end
end
