# frozen_string_literal: true

require "test_helper"
require "coppice/cli"
require "coppice/tools/cli/profile_command"
require_relative "../../../support/server_command_tests"

module Coppice
  class CLI
    class ProfileTest < TestCase
      include ServerCommandTests

      def command = ProfileCommand

      test "invalid arguments are reported with a remedy" do
        assert_equal "unknown flag --ouput. Did you mean --output?", complaint(UsageError, "--ouput")
        assert_equal "--output needs a value", complaint(UsageError, "--output")
        assert_equal "--memory-price must be a number above 0, but is 0", complaint(UsageError, "--memory-price", "0")
      end
    end
  end
end
