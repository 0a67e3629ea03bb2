# frozen_string_literal: true

require "test_helper"
require "coppice/tools/doctor/journal"

module Coppice
  module Doctor
    class JournalTest < TestCase
      def setup
        @journal = Journal.new
      end

      def teardown
        @journal.close
      end

      test "what forked processes note is read by the first one, each event once" do
        assert_empty @journal.events(:finding)
        pids = Array.new(2) { |number| fork { note_and_exit(number) } }
        pids.each { |pid| BoundedWait.status_of(pid) }
        @journal.note(:other, number: 5)

        assert_equal [0, 1], @journal.events(:finding).map { |event| event[:number] }.sort
        assert_equal [5], @journal.events(:other).map { |event| event[:number] }
      end

      test "a text in another encoding does not get lost" do
        @journal.note(:error, error: "caf\xE9".b)

        assert_equal "caf\u{FFFD}", @journal.events(:error).first[:error]
      end

      def note_and_exit(number)
        2.times { @journal.note(:finding, number: number) }
        exit!
      end
    end
  end
end
