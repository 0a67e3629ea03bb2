# frozen_string_literal: true

require "test_helper"
require "coppice/board"
require "coppice/memory/scales"

module Coppice
  module Memory
    class ScalesTest < TestCase
      # Says nothing, and keeps what was said.
      class Notes
        attr_reader :lines

        def initialize = @lines = []
        def info(message, **) = lines << message
        def warn(message, **) = lines << "warning: #{message}"
      end

      def setup
        @board = Board.create
        @row = @board.row(0)
        @notes = Notes.new
        @scales = Scales.new(@row, @notes)
      end

      def teardown
        @board.close
      end

      test "a measurement says what the kernel says, and when" do
        @row.requests = 7
        @scales.weigh

        assert_in_delta Rollup.of.rss, @row.rss_kib, 20_000
        assert_operator @row.private_kib, :<=, @row.pss_kib
        assert_operator @row.anonymous_kib, :>, 1000
        assert_equal 7, @row.measured_requests
        assert_operator @row.measured_ms, :<=, OS::Clock.now_ms
      end

      test "the first one is what later ones are compared with" do
        @scales.tare
        start = [@row.private_at_start_kib, @row.cpu_at_start_ms]
        assert_equal [@row.private_kib, @row.cpu_ms], start
        kept = "x" * (16 << 20)
        @scales.weigh

        assert_equal start, [@row.private_at_start_kib, @row.cpu_at_start_ms]
        assert_operator @row.private_kib - @row.private_at_start_kib, :>, 8 * 1024, kept.size
      end

      test "after a measurement none is due for a thousand times what it has cost" do
        assert_equal 0, @scales.due_ms
        @scales.weigh

        assert_operator @scales.due_ms - @row.measured_ms, :>=, Scales::SHORTEST_REST_MS
      end

      test "where the kernel does not tell, it is said once, and never tried again" do
        missing = Class.new { def self.of = raise(Errno::ENOENT) }
        scales = Scales.new(@row, @notes, rollup: missing)

        2.times { scales.weigh if OS::Clock.now_ms >= scales.due_ms }

        assert_equal ["memory is not measured"], @notes.lines
        assert_equal 0, @row.measured_ms
      end

      test "a want of descriptors is over some time, and told aloud where measurements are needed" do
        full = Class.new { def self.of = raise(Errno::EMFILE) }
        scales = Scales.new(@row, @notes, needed: true, rollup: full)
        scales.weigh

        assert_equal ["warning: memory is not measured"], @notes.lines
        assert_in_delta OS::Clock.now_ms + Scales::LATER_MS, scales.due_ms, 10_000
      end
    end
  end
end
