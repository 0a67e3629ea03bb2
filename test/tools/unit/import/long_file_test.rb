# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/imports"

module Coppice
  module Import
    # A file with twice as many directives takes twice as much work, and not four times as much.
    class LongFileTest < TestCase
      include Imports

      FILE = "config/puma.rb"
      SIZE = 30
      GROWTH = 2.1 # of the calls of methods and blocks, while the file doubles
      GROWTH_OF_PATHS = 2.5

      { "options" => "workers NR",
        "hooks" => "on_worker_boot { puts NR }",
        "hooks without a block" => "on_worker_boot(&x)",
        "conditions for versions" => "quiet if respond_to?(:quiet)",
        "variables of the other server" => "xNR = Puma.stats",
        "texts" => "xNR = <<~A\n  # workers NR\n\n\nA",
        "lines to be changed by hand" => "before_thread_start { Puma.stats }; set_remote_address header: 'a'" }
        .each do |kind, line|
        test "a long file of #{kind} is translated in linear time" do
          once, twice = [SIZE, 2 * SIZE].map do |size|
            text = Array.new(size) { |index| "#{line.gsub("NR", index.to_s)}\n" }.join
            calls { result(text) }
          end

          assert_operator twice, :<, once * GROWTH
        end
      end

      # Each branch is inside the one before, so the paths to them are as long as there are branches.
      test "the hooks of a long case are not compared in pairs" do
        once, twice = [SIZE, 2 * SIZE].map do |size|
          branches = Array.new(size) { |index| "when 'x#{index}' then before_fork { |*| puts #{index} }\n" }.join
          calls { Import.translate("case ENV['X']\n#{branches}end\n", file: "config/unicorn.rb").text }
        end

        assert_operator twice, :<, once * GROWTH_OF_PATHS
      end

      private

      def calls
        count = 0
        TracePoint.new(:call, :b_call, :c_call) { count += 1 }.enable(target_thread: Thread.current) { yield }
        count
      end
    end
  end
end
