# frozen_string_literal: true

require "test_helper"
require "coppice/cli"
require "coppice/cli/memory_command"
require_relative "../../support/server_command_tests"

module Coppice
  class CLI
    class MemoryTest < TestCase
      include ServerCommandTests

      def command = MemoryCommand

      test "invalid arguments are reported with a remedy" do
        assert_equal "unknown flag --wacht. Did you mean --watch?", complaint(UsageError, "--wacht")
        assert_equal "missing argument: --map", complaint(UsageError, "--map")
        assert_equal "--map cannot be combined with --watch or --json",
          complaint(UsageError, "--map", "x.svg", "--json")
      end
    end
  end
end
