# frozen_string_literal: true

require "test_helper"
require "coppice/cli/run_command"

module Coppice
  # What `coppice run --fallback` does when its guest has not come to the program.
  class RunTest < TestCase
    # Says how a guest has ended.
    FakeGuest = Struct.new(:lines, :ending_signal) do
      def run
        ours, monitors = Socket.pair(:UNIX, :STREAM)
        monitors.write(lines)
        GuestClient::Status.new(ours).tap(&:read)
      ensure
        [ours, monitors].each(&:close)
      end
    end

    # What the command does instead of ending: [:become] or the signal by which it dies.
    def ending(lines, signal)
      command = CLI::RunCommand.new(["--socket", "/none", "--fallback", "program"], error: StringIO.new)
      command.define_singleton_method(:exec) { |*| :become }
      GuestClient.stub(:new, FakeGuest.new(lines, signal)) do
        GuestClient::Signals.stub(:die_by, ->(name) { name }) { command.run }
      end
    end

    test "it becomes the program when the guest refuses it" do
      assert_equal :become, ending("not begun\nexited 1\n", nil)
      assert_equal :become, ending("error: no guests\n", nil)
    end

    test "in a directory that was deleted it says what to do, or becomes the program" do
      Dir.stub(:pwd, -> { raise Errno::ENOENT, "getcwd" }) do
        error = assert_raises(Error) { CLI::RunCommand.new(["--socket", "/none", "program"]).run }

        assert_includes error.message, "Change to another one"
        assert_equal :become, ending("exited 0\n", nil)
      end
    end

    test "what a signal has ended does not start a second time" do
      assert_equal "INT", ending("not begun\nkilled INT\n", "INT")
      assert_equal "INT", ending("not begun\nkilled INT\n", nil) # from a terminal, or from somebody else
      assert_equal "TERM", ending("not begun\nexited 1\n", "TERM")
      assert_match(/no guests/, assert_raises(Error) { ending("error: no guests\n", "INT") }.message)
    end
  end
end
