# frozen_string_literal: true

require "test_helper"
require "coppice/child/life"
require "coppice/control/channel"
require "coppice/coppice_ext"
require_relative "../../support/recording_log"

module Coppice
  module Child
    # A process whose application has closed its channel to the monitor.
    class LifeTest < TestCase
      Inheritance = Struct.new(:board, :log) do
        def log_of(_membership) = log
      end
      Board = Struct.new(:monitor_pid)
      Membership = Struct.new(:channel)

      test "it does what the monitor would tell it" do
        assert_equal [:stop], calls_without_channel(monitor_pid: Process.ppid)
      end

      test "it does what it would do without the monitor, when that is gone" do
        assert_equal [:orphaned], calls_without_channel(monitor_pid: Process.pid)
      end

      test "it does nothing while it has its channel" do
        assert_empty calls(Membership.new(Struct.new(:closed?).new(false)), Process.ppid)
      end

      private

      def calls_without_channel(monitor_pid:)
        calls(Membership.new(Control::Channel.pair.each(&:close).first), monitor_pid).tap do
          assert_equal [Life::NO_CHANNEL], @log.errors.map { |_, message,| message }
        end
      end

      def calls(membership, monitor_pid)
        calls = []
        @log = RecordingLog.new
        Life.new(inheritance: Inheritance.new(Board.new(monitor_pid), @log), membership: membership, signals: nil,
                 orders: { Control::Messages::Stop => ->(_) { calls << :stop } },
                 orphaned: -> { calls << :orphaned }).stop_without_channel
        calls
      end
    end
  end
end
