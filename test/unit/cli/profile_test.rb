# frozen_string_literal: true

require "test_helper"
require "stringio"
require "coppice/cli"
require "coppice/cli/profile"

module Coppice
  class CLI
    class ProfileTest < TestCase
      ENDED_PID = "4194305" # above the largest that the kernel gives

      test "wrong words are told with what to do" do
        assert_equal "unknown flag --ouput. Did you mean --output?", complaint(UsageError, "--ouput")
        assert_equal "one pid is enough, but there are 2: 1 2", complaint(UsageError, "1", "2")
        assert_equal "monitor is no pid", complaint(UsageError, "monitor")
        assert_equal "missing argument: --output", complaint(UsageError, "--output")
      end

      test "a process that is not there, or no monitor" do
        assert_equal "there is no process #{ENDED_PID}", complaint(Error, ENDED_PID)
        assert_equal "process #{Process.pid} is no Coppice monitor", complaint(Error, Process.pid.to_s)
      end

      private

      def complaint(error, *words) = assert_raises(error) { Profile.new(words, output: StringIO.new).run }.message
    end
  end
end
