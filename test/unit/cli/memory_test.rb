# frozen_string_literal: true

require "test_helper"
require "stringio"
require "coppice/cli"
require "coppice/cli/memory"

module Coppice
  class CLI
    class MemoryTest < TestCase
      ENDED_PID = "4194305" # above the largest that the kernel gives

      test "wrong words are told with what to do" do
        assert_equal "unknown flag --wacht. Did you mean --watch?", complaint(UsageError, "--wacht")
        assert_equal "one pid is enough, but there are 2: 1 2", complaint(UsageError, "1", "2")
        assert_equal "monitor is no pid", complaint(UsageError, "monitor")
        assert_equal "missing argument: --map", complaint(UsageError, "--map")
        assert_equal "a picture is drawn once, without --watch or --json", complaint(UsageError, "--map", "x.svg", "--json")
      end

      test "a process that is not there, or no monitor" do
        assert_equal "there is no process #{ENDED_PID}", complaint(Error, ENDED_PID)
        assert_equal "process #{Process.pid} is no Coppice monitor", complaint(Error, Process.pid.to_s)
      end

      private

      def complaint(error, *words) = assert_raises(error) { Memory.new(words, output: StringIO.new).run }.message
    end
  end
end
