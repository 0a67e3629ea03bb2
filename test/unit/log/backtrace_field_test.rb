# frozen_string_literal: true

require "test_helper"
require "coppice/log"
require "json"
require "stringio"

module Coppice
  class Log
    class BacktraceFieldTest < TestCase
      def written(format)
        io = StringIO.new
        yield Log.new(io, role: :worker, format: format)
        io.string
      end

      test "a backtrace without an exception, such as of a timeout, is on indented lines as well, and whole in JSON" do
        frames = Array.new(300) { |number| "/app/\e#{number}.rb:1:in 'wait'" }.join("\n")
        log = ->(log) { log.error("request timed out", path: "/x", backtrace: frames) }
        first, *others = written(:text, &log).lines(chomp: true)

        assert first.end_with?(%(msg="request timed out" path=/x)), first
        assert_equal ["    /app/\\u{1b}0.rb:1:in 'wait'", "    ... and 200 more"], others.values_at(0, 100)
        assert_equal 101, others.size
        assert_equal frames, JSON.parse(written(:json, &log))["backtrace"]
      end
    end
  end
end
