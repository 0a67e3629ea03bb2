# frozen_string_literal: true

require "test_helper"
require "stringio"
require "coppice/cli"
require "coppice/cli/help_command"

module Coppice
  class CLI
    class HelpTest < TestCase
      test "shows each command but the internal ones, and each flag" do
        text = help
        COMMANDS.each_value do |command|
          assert_equal !command.summary.nil?, text.match?(/^  #{command.name} /), command.name
        end
        Config::OPTIONS.filter_map(&:usage).each { |usage| assert_includes text, usage }
        %w[-e -d -w -I -r -o -p -E -s -l -c -h -v].each { |flag| assert_includes text, "  #{flag}, " }
      end

      test "explains an option" do
        text = help("timeout")
        assert_match(/^The soft limit of a request/, text)
        assert_match(/^Default: 20 seconds$/, text)
        assert_match(/^Flag: --timeout SECONDS$/, text)
        assert_operator text.lines.map(&:size).max, :<=, 80
      end

      test "explains a hook" do
        assert_match(/^Runs in: the monitor$/, help("after_worker_exit"))
      end

      test "explains a verb of a running server" do
        assert_equal <<~TEXT, help("refork")
          coppice refork [--pid PID | --socket PATH]

          promote the warmest worker and replace all workers by its copies; wait for the
          commit
          Signal: USR2
        TEXT
        assert_match(/^coppice memory: show the memory/, help("memory"))
      end

      test "an unknown name is a mistake" do
        assert_equal "there is no option, hook or command tiemout. Did you mean timeout?",
          assert_raises(UsageError) { help("tiemout") }.message
      end

      private

      def help(*words)
        output = StringIO.new
        assert_equal 0, HelpCommand.new(words, output: output).run
        output.string
      end
    end
  end
end
