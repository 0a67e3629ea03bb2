# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/board"
require "coppice/cli"
require "coppice/config/types/amounts"
require "support/pages/control_reference"
require "coppice/log"
require "coppice/monitor/door/control_commands"

module Coppice
  module Control
    class VerbsTest < TestCase
      PAGE = File.expand_path("../../../docs/operations.md", __dir__)

      test "each verb has a method of the monitor that takes its arguments, and a command" do
        VERBS.each_value do |verb|
          next assert CLI::COMMANDS.fetch(verb.name).load if verb.role

          method = Monitor::ControlCommands.instance_method(verb.name.tr("-", "_"))
          optional = verb.arguments.count(&:optional)

          next assert_equal [%i[keyreq asked_by]], method.parameters.reject { |kind,| kind == :rest } if verb.asked_by

          size = verb.arguments.size

          assert_equal optional.zero? ? size : -optional - (size - optional), method.arity

          assert_equal verb.summary, CLI::COMMANDS.fetch(verb.name).summary
          assert_operator CLI::COMMANDS.fetch(verb.name).load, :<=, CLI::ControlCommand
        end
      end

      test "the limits and levels are those of the configuration and of the log" do
        assert_equal Config::Types::WorkerCount::MAXIMUM, WORKERS.max
        assert_equal Log::LEVELS.keys.map(&:to_s), LOG_LEVELS
      end

      test "words become values" do
        assert_equal [8], VERBS["workers"].read(["8"])
        assert_equal ["mold"], VERBS["backtrace"].read(["mold"])
        assert_equal [], VERBS["stop"].read([])
        assert_equal ["--now"], VERBS["stop"].read(["--now"])
      end

      test "wrong words are explained" do
        { ["workers", []] => "usage: workers N",
          ["stop", %w[--now --now]] => "usage: stop [--now]",
          ["stop", ["now"]] => "usage: stop [--now]",
          ["roll", %w[one two]] => "usage: roll [DIR] [--force]",
          ["workers", ["1025"]] => 'N is a whole number from 1 to 1024 or configured, not "1025"',
          ["recycle", ["-1"]] => 'NR is a whole number from 0, not "-1"',
          ["backtrace", ["-1"]] => 'NR is a whole number from 0, mold, service or the name of a service, not "-1"',
          ["log-level", ["\xFF#{'x' * 100}"]] => "LEVEL is debug, info, warn, error or fatal, not \"?#{'x' * 39}\"" }
          .each do |(name, words), complaint|
          assert_equal complaint, assert_raises(UsageError) { VERBS[name].read(words) }.message
        end
      end

      test "docs/operations.md has the table" do
        page = File.read(PAGE, encoding: "UTF-8")

        assert_equal Reference.new(page).to_markdown, page, "run: rake docs"
        VERBS.each_value { |verb| assert_includes page, "| `coppice #{verb.usage}` | #{verb.summary} |" }
      end
    end
  end
end
