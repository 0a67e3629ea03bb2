# frozen_string_literal: true

require "test_helper"
require "socket"
require "coppice/control/guest_request"
require "coppice/guest_client"

module Coppice
  # The client of a guest, with the test in the monitor's place.
  class GuestClientTest < TestCase
    # A connection to the monitor; what the block does happens as soon as the monitor knows of the guest.
    class FakeClient
      def initialize(socket, &known)
        @socket = socket
        @known = known
      end

      def converse(_verb) = yield self, @socket
      def say(_line, descriptors:) = @known.call(descriptors)
    end

    FakeWindow = Struct.new(:resumption) do
      def resume = resumption.call

      %i[readers writers pause advance restore show_rest close].each { |name| define_method(name) { |*| nil } }
    end

    def setup
      @ours, @monitors = Socket.pair(:UNIX, :STREAM)
      @input = $stdin
      $stdin = File.open(File::NULL)
    end

    def teardown
      $stdin.close
      $stdin = @input
      [@ours, @monitors].each(&:close)
    end

    def request
      Control::GuestRequest.new(mode: "code", program: "1", arguments: [], directory: "/", umask: 0o022,
        environment: {}, terminal: false)
    end

    test "a signal that comes as soon as the monitor knows of the guest is passed on" do
      unheard = []
      before = trap(:USR1) { unheard << "USR1" }
      client = FakeClient.new(@ours) do
        Process.kill(:USR1, Process.pid)
        @monitors.write("guest requested\nexited 0\n")
      end
      GuestClient.new(client, request).run

      assert_equal ["signal USR1\n", []], [@monitors.recv_nonblock(100, exception: false), unheard]
    ensure
      trap(:USR1, before || "DEFAULT")
    end

    test "the first signal that is to end the program is known afterwards" do
      client = FakeClient.new(@ours) do
        %i[USR1 TERM INT].each { |name| Process.kill(name, Process.pid) }
        @monitors.write("guest requested\nnot begun\nexited 0\n")
      end
      guest_client = GuestClient.new(client, request)
      assert_nil guest_client.ending_signal
      guest_client.run

      assert_equal "TERM", guest_client.ending_signal
    end

    # In the background the user's terminal cannot be taken, so the guest must not wait for that.
    test "a guest that was stopped is continued before the user's terminal is taken again" do
      told = []
      window = FakeWindow.new(-> { told << @monitors.recv_nonblock(100, exception: false) })
      client = FakeClient.new(@ours) do
        Process.kill(:TSTP, Process.pid)
        @monitors.write("guest requested\nexited 0\n")
      end
      guest_client = GuestClient.new(client, request)
      guest_client.define_singleton_method(:open_window) { window }
      GuestClient::Signals.stub(:stop_process, nil) { guest_client.run }

      assert_equal ["signal STOP\nsignal CONT\n"], told
    end

    test "a monitor that says nothing in time is reported as one that does not answer" do
      times = [0, Control::Call::ANSWER_SECONDS - 0.001] # the deadline is set, then looked at
      late = Control::Call::ANSWER_SECONDS + 1
      client = FakeClient.new(@ours) { |_descriptors| nil }
      error = assert_raises(GuestLost) do
        OS::Clock.stub(:now, -> { times.shift || late }) { GuestClient.new(client, request).run }
      end

      assert_includes error.message, "the server does not answer"
    end
  end
end
