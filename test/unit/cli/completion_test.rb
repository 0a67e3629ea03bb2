# frozen_string_literal: true

require "test_helper"
require "open3"
require "pty"
require "stringio"
require "coppice/cli"
require "coppice/cli/completion_command"

module Coppice
  class CLI
    class CompletionTest < TestCase
      LIBRARY = File.expand_path("../../../lib", __dir__)

      def script(shell)
        output = StringIO.new
        assert_equal 0, CompletionCommand.new([shell], output: output).run
        output.string
      end

      # What bash offers for the last of these words.
      def offered(*words)
        question = "COMP_WORDS=(coppice #{words.map { |word| "'#{word}'" }.join(' ')}); COMP_CWORD=#{words.size}\n" \
                   "_coppice; printf '%s\\n' \"${COMPREPLY[@]}\""
        output, status = Open3.capture2e("bash", "--norc", stdin_data: script("bash") + question)
        assert_predicate status, :success?, output
        output.split("\n")
      end

      test "bash completes commands, and flags of serve" do
        assert_equal COMMANDS.values.select(&:summary).map(&:name).sort, offered("").grep_v(/\A-/).sort
        assert_equal %w[recycle refork reopen-logs], offered("re").sort
        assert_includes offered("--"), "--shutdown-delay"
        assert_equal ["--no-early-hints"], offered("-p", "3000", "--no-ea")
        refute_includes offered("--so"), "--socket", "it is a flag of the commands for a running server"
      end

      test "bash completes what follows a command" do
        assert_equal ["--now"], offered("stop", "--n")
        assert_equal %w[debug info warn error fatal], offered("log-level", "").grep_v(/--/)
        assert_equal %w[mold service], offered("backtrace", "").grep_v(/--/)
        assert_equal %w[--pid --socket --json], offered("status", "")
        assert_equal %w[timeout timeout_cleanup timeout_cold timeout_for timeout_signal],
          offered("help", "timeout").sort
        assert_equal %w[bash zsh], offered("completion", "")
      end

      test "bash completes the values of options" do
        assert_equal %w[debug info warn error fatal], offered("--log-level", "")
        assert_equal %w[fair], offered("serve", "--accept-order", "f")
      end

      test "zsh reads its script" do
        text = script("zsh")
        COMMANDS.values.select(&:summary).each { |command| assert_includes text, "'#{command.name}:" }
        output, status = Open3.capture2e("zsh", "-n", stdin_data: text)

        assert_predicate status, :success?, output
      rescue Errno::ENOENT
        assert_includes text, "compdef _coppice coppice"
      end

      soak_test "zsh completes in a terminal, from its start file and from a file of $fpath" do
        skip "zsh is not installed" unless system("zsh", "-c", "", err: File::NULL)

        with_tmpdir do |folder|
          File.write("#{folder}/_coppice", script("zsh"))
          ["source #{folder}/_coppice", ""].each do |start|
            on_zsh(folder, start) do |terminal|
              assert_equal "log-level", completed(terminal, "coppice log-\t")
              assert_equal "log-level fatal", completed(terminal, "coppice log-level fa\t")
              assert_equal "stop --now", completed(terminal, "coppice stop --n\t")
              assert_equal "--accept-order fair", completed(terminal, "coppice --accept-o\tfa\t")
              assert_equal "run --fallback", completed(terminal, "coppice run --fa\t")
            end
          end
        end
      end

      # Yields the master of a terminal on which zsh waits for a line.
      def on_zsh(folder, start)
        command = ["env", "-i", "PATH=#{ENV.fetch('PATH')}", "HOME=#{folder}", "TERM=dumb", "zsh", "-f", "-i"]
        PTY.spawn(*command, chdir: folder) do |terminal, keys, pid|
          setup = "PS1='ready> '; setopt no_beep; fpath=(#{folder} $fpath); autoload -Uz compinit; compinit -u -D; " \
                  "coppice() { print -r -- \"<$*>\" }; #{start}\r"
          keys.write(setup)
          @keys = keys
          yield terminal
        ensure
          Process.kill(:KILL, pid)
          BoundedWait.status_of(pid)
          [terminal, keys].each(&:close)
        end
      end

      # What the command line has become: the shell runs it, and the command shows its arguments.
      def completed(terminal, typed)
        typed.split(/(?<=\t)/).each { |part| @keys.write(part) }
        @keys.write("\r")
        shown = +""
        shown << terminal.readpartial(1024) until shown.match?(/^<.*>\r?$/)
        shown[/^<(.*?) ?>\r?$/, 1]
      end

      test "each command takes the flags that are offered" do
        COMMANDS.each_value do |command|
          features = [command.feature, "coppice/cli/control_command"]
          source = features.map { |feature| File.read("#{LIBRARY}/#{feature}.rb") }.join
          flags = command.flag_names - Control::VERBS[command.name]&.switches.to_h.keys

          assert_empty(flags.reject { |flag| source.match?(/on\("#{flag}|"#{flag}"/) })
        end
      end

      test "other shells have none" do
        assert_equal "usage: coppice completion bash|zsh",
          assert_raises(UsageError) { CompletionCommand.new(["fish"]).run }.message
      end
    end
  end
end
