# frozen_string_literal: true

require "stringio"

# Of a command that is about a running server: the class of the command is `command`.
module ServerCommandTests
  ENDED_PID = "4194305" # above the largest that the kernel gives

  def self.included(test_case)
    test_case.test "one pid, and one that is a pid" do
      assert_equal "one pid is enough, but there are 2: 1 2", complaint(Coppice::UsageError, "1", "2")
      assert_equal "monitor is not a pid", complaint(Coppice::UsageError, "monitor")
    end

    test_case.test "a letter is never the beginning of a flag" do
      ([*"a".."z"] - %w[c h]).each do |letter| # -c has a sentence of its own
        assert_equal "unknown flag -#{letter}", complaint(Coppice::UsageError, "-#{letter}")
      end
    end

    test_case.test "a process that is not there, or no monitor" do
      assert_equal "there is no process #{ENDED_PID}", complaint(Coppice::Error, ENDED_PID)
      assert_equal "process #{Process.pid} is no Coppice monitor", complaint(Coppice::Error, Process.pid.to_s)
    end
  end

  def complaint(error, *words) = assert_raises(error) { command.new(words, output: StringIO.new).run }.message
end
