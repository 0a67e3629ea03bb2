# frozen_string_literal: true

require "test_helper"
require "socket"
require "coppice/guest_client"

module Coppice
  class GuestClient
    class StatusTest < TestCase
      def setup
        @ours, @monitors = Socket.pair(:UNIX, :STREAM)
      end

      def teardown
        [@ours, @monitors].each(&:close)
      end

      def status_of(*lines, **options)
        lines.each { |line| @monitors.write("#{line}\n") }
        Status.new(@ours, **options).tap { |status| status.read unless lines.empty? }
      end

      test "how a guest ends is known once the monitor has said it" do
        refute_predicate status_of("guest requested"), :known?
        assert_equal [7, false], status_of("exited 7").then { |status| [status.end_process, status.refused?] }
        assert_equal [1, true], status_of("not begun", "exited 1").then { |one| [one.end_process, one.refused?] }
      end

      test "a guest that a signal has killed before its program began has refused nothing" do
        refute_predicate status_of("not begun", "killed INT"), :refused?
      end

      test "a guest that a signal without a name has killed ends its client with a status" do
        assert_equal 128 + 40, status_of("killed 40").end_process
      end

      test "a refusal of the monitor is an error, and nothing has begun" do
        error = assert_raises(Error) { status_of("error: no guests") }

        assert_equal [Error, "no guests"], [error.class, error.message]
      end

      test "without an answer in time nothing is known" do
        assert_raises(GuestLost) { status_of(seconds: 0).seconds_left }
        assert_nil status_of("guest requested", seconds: 0).seconds_left
        assert_operator status_of(seconds: 60).seconds_left, :<=, 60
      end

      test "a monitor that disconnects leaves nothing known" do
        @monitors.close

        assert_raises(GuestLost) { Status.new(@ours).read }
      end
    end
  end
end
