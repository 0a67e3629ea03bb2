# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/tools/cold/fork"

module Coppice
  module Cold
    class ForkTest < TestCase
      test "answers what the block answered in another process" do
        answer = Fork.new(60).call { { pid: Process.pid, text: "x" * 200_000 } }

        refute_equal Process.pid, answer[:pid]
        assert_equal 200_000, answer[:text].size
      end

      test "a process that ends by itself is told with its status" do
        assert_equal "its process ended: status 3", failure { exit!(3) }
      end

      test "and with its signal" do
        assert_equal "its process ended: killed by SIGKILL", failure { Process.kill(:KILL, Process.pid) && sleep }
      end

      test "what is raised there does not go on in a second copy of the caller" do
        here = Process.pid
        _, error = capture_subprocess_io do
          assert_equal("its process ended: status 1", failure { raise ArgumentError, "a hook" })
        end

        assert_equal here, Process.pid
        assert_match(/a hook \(ArgumentError\)/, error)
      end

      test "one that is late is killed" do
        assert_match(/killed/, failure(seconds: 0.05) { sleep })
      end

      test "a trap of the application's that reaps it takes only its status away" do
        before = trap(:CHLD, "IGNORE")

        assert_equal 7, Fork.new(60).call { 7 }
        assert_equal "its process ended: its status is unknown", failure { exit!(3) }
        assert_match(/killed/, failure(seconds: 0.05) { sleep })
      ensure
        trap(:CHLD, before || "DEFAULT")
      end

      private

      def failure(seconds: 60, &block)
        assert_raises(PlayFailed) { Fork.new(seconds).call(&block) }.message
      end
    end
  end
end
