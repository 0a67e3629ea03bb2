# frozen_string_literal: true

require "test_helper"
require "coppice/cli"
require "coppice/tools/cli/memory_command"
require_relative "../../../support/server_command_tests"

module Coppice
  class CLI
    class MemoryTest < TestCase
      include ServerCommandTests

      def command = MemoryCommand

      test "invalid arguments are reported with a remedy" do
        assert_equal "unknown flag --wacht. Did you mean --watch?", complaint(UsageError, "--wacht")
        assert_equal "--map needs a value", complaint(UsageError, "--map")
        assert_equal "--map cannot be combined with --watch or --json",
          complaint(UsageError, "--map", "x.svg", "--json")
      end

      test "a kernel that tells no sizes is an error, and no empty table" do
        RunningMonitor.stub(:board, Board.create) do # the command closes it
          Coppice::Memory::Rollup.stub(:of, ->(*) { raise Errno::ENOENT }) do
            assert_match(%r{this kernel does not tell .* /proc/PID/smaps_rollup}, complaint(Error, Process.pid.to_s))
          end
        end
      end
    end
  end
end
