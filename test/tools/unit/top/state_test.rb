# frozen_string_literal: true

require "test_helper"
require "coppice/tools/top/meter"
require "coppice/tools/top/process_table"
require "coppice/tools/top/state"
require_relative "../../../support/stats_fixture"

module Coppice
  module Top
    class StateTest < TestCase
      def setup
        @state = State.new
        @workers = StatsFixture.processes(4, 0).select { |process| process[:slot] }
      end

      test "the selection moves within the workers" do
        assert_equal [0, 1, 2, 3, 3, 2, 0, 3], ([nil, "j", :down, "G", "j", "k", :home, :end].map do |key|
          press(key) if key
          selected
        end)
      end

      test "it stays with the process, then with its slot, then with its place" do
        press("j")
        @workers.reverse!
        assert_equal 5002, @state.selected(@workers)[:pid]

        @workers[2] = @workers[2].merge(pid: 6000, generation: 13)
        assert_equal 6000, @state.selected(@workers)[:pid]

        @workers.delete_at(2)
        assert_equal 0, selected
        assert_nil @state.selected([])
      end

      test "the selection is always among those that are shown" do
        assert_equal [0, 1, 2, 2, 0], (["j", "j", "j", "k", "g"].map do |key|
          press(key)
          @state.offset(@workers, 2)
        end)
      end

      test "a refork is ordered by r and y only" do
        assert_nil press("r")
        assert_nil press("q")
        assert_nil press("y")
        press("r")
        assert_equal ["refork"], press("y")
        assert_nil @state.question
      end

      test "the selected worker is replaced by x and y" do
        press("j")
        press("x")

        assert_equal "Replace worker 1 by a fresh fork?", @state.question.text
        assert_equal %w[recycle 1], press("y")
      end

      test "a worker's view asks for its backtrace, and anew by b" do
        assert_equal %w[backtrace 0], press(:enter)
        @state.show_backtrace("0", ["a"])
        assert_equal %w[backtrace 0], press("b")
        assert_nil @state.backtrace
        press(:escape)
        assert_equal :table, @state.mode
      end

      test "a backtrace that comes when another worker is shown is not taken for that worker's" do
        [:enter, :escape, "j", :enter].each { |key| press(key) }
        @state.show_backtrace("0", ["of worker 0"])
        assert_nil @state.backtrace

        @state.show_backtrace("1", ["of worker 1"])
        assert_equal ["of worker 1"], @state.backtrace
      end

      test "the table is sorted by each column in turn, in both orders" do
        names = Array.new(COLUMNS.size) do
          press(:right)
          @state.sort
        end
        assert_equal COLUMNS.map(&:name).rotate(1), names

        press("<")
        press("o")
        assert_equal [:cpu, true], [@state.sort, @state.backwards]
        press("<")
        refute @state.backwards
      end

      test "amounts are sorted downwards, places upwards, what is unknown last" do
        reading = Meter.new.read(StatsFixture.at)
        slots = lambda do |sort, backwards|
          ProcessTable.new(reading, sort: sort, backwards: backwards).workers.map { |worker| worker[:slot] }
        end

        assert_equal [[0, 1, 2], [2, 1, 0], [2, 1, 0], [0, 1, 2]],
          [slots[:slot, false], slots[:slot, true], slots[:private, false], slots[:private, true]]
        assert_equal [0, 1, 2], slots[:age, false]
      end

      test "help goes back where it was called" do
        press(:enter)
        press("?")
        assert_equal :help, @state.mode
        press("z")
        assert_equal :worker, @state.mode
      end

      test "q and Ctrl-C quit; Ctrl-C also in a question" do
        assert_equal :quit, press("q")
        press("r")
        assert_equal :quit, press(:interrupt)
      end

      test "without workers no key fails" do
        @workers = []
        keys = ["j", "k", "G", "x", "y", "b", "o", :left, :page_down, :page_up, :home, :enter, "?", "?"]

        assert_equal [nil], keys.map { |key| press(key) }.uniq
      end

      private

      def press(key) = @state.press(key, @workers)

      def selected = @state.selected(@workers)[:slot]
    end
  end
end
