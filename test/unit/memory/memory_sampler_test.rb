# frozen_string_literal: true

require "test_helper"
require "coppice/board"
require "coppice/memory/memory_sampler"

module Coppice
  module Memory
    class MemorySamplerTest < TestCase
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
        @sampler = MemorySampler.new(@row, @notes)
      end

      def teardown
        @board.close
      end

      test "a sample has the kernel's figures and its time" do
        @row.requests = 7
        @sampler.sample

        assert_in_delta Rollup.of.rss, @row.rss_kib, 20_000
        assert_operator @row.private_kib, :<=, @row.pss_kib
        assert_operator @row.anonymous_kib, :>, 1000
        assert_equal 7, @row.measured_requests
        assert_operator @row.measured_ms, :<=, OS::Clock.now_ms
      end

      # Ruby collects garbage only where this says so, and finishes then what an earlier collection has left to do.
      test "a sample has CPU time and garbage collections, those of the parent left out" do
        GC.start
        GC.disable
        sampler = MemorySampler.new(@row, @notes)
        sampler.sample

        assert_equal [0, 0], [@row.gc_runs, @row.gc_us]
        3.times { GC.start }
        time = GC.stat(:time)
        least = cpu_seconds - 0.1 # the kernel rounds
        sampler.sample

        assert_equal 3, @row.gc_runs
        assert_includes 0..(time * 1000), @row.gc_us
        assert_includes least..(cpu_seconds + 0.1), @row.cpu_us / 1e6
      ensure
        GC.enable
      end

      def cpu_seconds = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)

      test "the first sample is the baseline" do
        @sampler.set_baseline
        start = at_start
        assert_equal [@row.private_kib, @row.anonymous_kib, @row.cpu_ms], start
        kept = "x" * (16 << 20)
        @sampler.sample

        assert_equal start, at_start
        assert_operator @row.private_kib - @row.private_at_start_kib, :>, 8 * 1024, kept.size
      end

      def at_start = [@row.private_at_start_kib, @row.anonymous_at_start_kib, @row.cpu_at_start_ms]

      test "anonymous memory is counted in swap as well" do
        sums = Rollup.new(rss: 90, pss: 80, private: 70, anonymous: 60, swap: 50)
        MemorySampler.new(@row, @notes, rollup: Class.new { define_singleton_method(:of) { sums } }).sample

        assert_equal 110, @row.anonymous_kib
      end

      test "after a sample none is due for a thousand times its CPU time" do
        assert_equal 0, @sampler.due_ms
        @sampler.sample

        assert_operator @sampler.due_ms - @row.measured_ms, :>=, MemorySampler::MINIMUM_PAUSE_MS
      end

      test "a kernel without smaps_rollup is logged once for all processes, and never tried again" do
        missing = Class.new { def self.of = raise(Errno::ENOENT) }
        samplers = [true, false].map { |first| MemorySampler.new(@row, @notes, first: first, rollup: missing) }

        2.times { samplers.each { |sampler| sampler.sample if OS::Clock.now_ms >= sampler.due_ms } }

        assert_equal ["memory is not measured"], @notes.lines
        assert_equal 0, @row.measured_ms
      end

      test "a lack of descriptors is retried later, and logged as a warning where samples are needed" do
        full = Class.new { def self.of = raise(Errno::EMFILE) }
        sampler = MemorySampler.new(@row, @notes, needed: true, rollup: full)
        sampler.sample

        assert_equal ["warning: memory is not measured"], @notes.lines
        assert_in_delta OS::Clock.now_ms + MemorySampler::RETRY_MS, sampler.due_ms, 10_000
      end
    end
  end
end
