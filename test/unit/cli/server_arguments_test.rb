# frozen_string_literal: true

require "test_helper"
require "coppice/cli/server_arguments"

module Coppice
  class CLI
    class ServerArgumentsTest < TestCase
      test "the pid stands alone or after --pid" do
        assert_equal ["12", "12", nil], [%w[12 --fast], %w[--fast --pid 12], %w[--fast]].map { |words| parse(words) }
      end

      test "one pid is enough" do
        assert_equal "one pid is enough, but there are 2: 13 12",
          assert_raises(UsageError) { parse(%w[12 --pid 13]) }.message
      end

      test "a flag of another command is a mistake" do
        assert_equal "unknown flag --fats. Did you mean --fast?",
          assert_raises(UsageError) { parse(%w[--fats]) }.message
      end

      private

      def parse(words) = ServerArguments.parse(words) { |parser| parser.on("--fast") { nil } }
    end
  end
end
