# frozen_string_literal: true

require "socket"
require "test_helper"
require "coppice"
require "coppice/threaded_server/gradual_close"
require_relative "../../support/recording_log"

module Coppice
  class ThreadedServer
    class GradualCloseTest < TestCase
      def setup
        @clients, @sockets = Array.new(4) { UNIXSocket.pair }.transpose
        @now = 100.0
        @ends = []
      end

      def teardown
        [*@clients, *@sockets].each(&:close)
      end

      # Seconds after which each client had the end of its connection, as far as it has.
      def ends_within(seconds, &block)
        tick = lambda do |pause|
          @now += pause
          note_ends
        end
        ForkSafety::ClientSockets.stub(:open, @sockets) do
          OS::Clock.stub(:now, -> { @now }) do
            Kernel.stub(:sleep, tick) { GradualClose.call(seconds, RecordingLog.new, &block) }
          end
        end
        note_ends
        @ends.map { |at| at.round(1) }
      end

      def note_ends
        ended = @clients.count { |client| client.read_nonblock(1, exception: false).nil? }
        (ended - @ends.size).times { @ends << (@now - 100) }
      end

      test "the sockets are closed one after the other over the time that there is" do
        assert_equal [0.2, 2.2, 4.2, 6.0], ends_within(8) { false }
      end

      test "one that its client or the application has closed is passed over" do
        @sockets.first.close
        @clients.last.close
        @clients.pop

        assert_equal [0.2, 2.2, 4.2], ends_within(8) { false }
      end

      test "a server that stops meanwhile closes no more of them" do
        assert_equal [0.2, 2.2], ends_within(8) { @now > 103 }
        assert_equal [0.2, 2.2], ends_within(8) { true }
      end
    end
  end
end
