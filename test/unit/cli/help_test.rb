# frozen_string_literal: true

require "test_helper"
require "stringio"
require "coppice/cli"
require "coppice/tools/cli/cold_command"
require "coppice/tools/cli/doctor_command"
require "coppice/cli/help_command"
require "coppice/tools/cli/import_command"
require "coppice/tools/cli/profile_command"
require "coppice/tools/cli/top_command"

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

      test "explains a command and its flags" do
        assert_equal <<~TEXT, help("workers")
          Usage: coppice workers [--pid PID] [--socket PATH] N

          Set the number of workers, or follow the configuration again.

          N is a whole number from 1 to 1024 or configured. Signals to the monitor that
          do the same: TTIN, TTOU.

                --pid PID      the server with this monitor, if this user runs several
                --socket PATH  the server with this control socket, such as one of another container
        TEXT
        assert_match(/^Usage: coppice run .* PROGRAM \[ARG …\]\n +coppice run .* -e CODE \[ARG …\]\n/, help("run"))
        assert_match(/^  -o, --output FILE  write/, help("import"))
        assert_match(/^Takes the flags of serve as well/, help("check"))
      end

      test "each command shows that for --help" do
        COMMANDS.each_value.select(&:summary).each do |command|
          next if command.name == "serve"

          [%w[--help], %w[-h], *([%w[--pid 1 --help]] unless command.takes_program)].each do |words|
            assert_equal [help(command.name), ""], capture_io { CLI.new([command.name, *words]).run }, command.name
          end
        end
      end

      test "the defaults that it tells are those of the commands" do
        { "cold" => [ColdCommand::DEFAULT_TOP, ColdCommand::DEFAULT_HOST],
          "doctor" => [DoctorCommand::DEFAULT_HOST, DoctorCommand::DEFAULT_SECONDS],
          "import" => [ImportCommand::OUTPUT], "profile" => [GCProfile::FILE],
          "top" => [TopCommand::INTERVAL.round] }.each do |name, defaults|
          told = COMMANDS[name].flags.values.join("\n").scan(/\(default: (.+?)\)/).flatten

          assert_equal defaults.map(&:to_s), told, name
        end
      end

      test "the flags of a program are its own" do
        refute COMMANDS["run"].asked_about?(%w[bin/rails --help])
        refute COMMANDS["console"].asked_about?(%w[-- --help])
        refute COMMANDS["binstub"].asked_about?(%w[-- --help])
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
