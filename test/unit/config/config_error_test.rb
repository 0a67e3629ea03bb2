# frozen_string_literal: true

require "test_helper"
require "coppice/config/config_file"

module Coppice
  module Config
    # What people read who made a mistake in their config file: each message has file, line, cause and remedy.
    class ConfigErrorTest < TestCase
      def self.complains(sentence, text, message)
        test(sentence) { assert_equal message, complaint(text).message }
      end

      complains "a word with a typing error", "# one\nwroker_processes 4",
        "coppice.rb:2: unknown option or hook wroker_processes. Did you mean worker_processes?"
      complains "an unknown word without a value", "x = 1\nearly_hint\n",
        "coppice.rb:2: unknown option or hook early_hint. Did you mean early_hints?"
      complains "a word of another server", "preload_app true",
        "coppice.rb:1: unknown option or hook preload_app. " \
        "Remove it: the application is always loaded once, before the workers are forked"
      complains "a word that is like no other", "frobnicate 1",
        "coppice.rb:1: unknown option or hook frobnicate. docs/configuration.md lists all options and hooks"
      complains "a value of the wrong type", "\nworker_processes 'four'",
        "coppice.rb:2: worker_processes must be a whole number, from 0 to 1024; a range such as 2..16; " \
        "or :auto, but is \"four\". For example: worker_processes 2..16"
      complains "no value", "worker_processes",
        "coppice.rb:1: worker_processes takes one value, but got 0. For example: worker_processes 2..16"
      complains "too many values", "worker_processes 2, 4",
        "coppice.rb:1: worker_processes takes one value, but got 2. For example: worker_processes 2..16"
      complains "a short limit", "timeout 0",
        "coppice.rb:1: timeout must be a number of seconds, 0.1 or more, but is 0. " \
        "For example: timeout 10, cleanup: 3, cold: 30"
      complains "ratios that Ruby ignores", 'gc_profile "RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO" => 0.1',
        "coppice.rb:1: gc_profile must have 0 < MIN < GOAL <= MAX <= 1, or GOAL 0, in " \
        "RUBY_GC_HEAP_FREE_SLOTS_…_RATIO, or Ruby ignores a ratio, but with Ruby's own values for those " \
        "missing it has MIN 0.2, GOAL 0.1, MAX 0.65: " \
        'set all three. For example: gc_profile "RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO" => 0.05, …'
      complains "a wrong keyword of timeout", "timeout 10, clean: 1",
        "coppice.rb:1: timeout has no option clean. Did you mean cleanup?"
      complains "an address that is none", "listen 'nowhere'",
        "coppice.rb:1: listen cannot be \"nowhere\": write #{Listeners::AddressParser::FORMS}. For example: listen 3000"
      complains "a listen option with a typing error", "listen 3000, backlogs: 5",
        "coppice.rb:1: listen has no option backlogs. Did you mean backlog?"
      complains "a listen option that is an option", "listen 3000, setpgid: false",
        "coppice.rb:1: listen has no option setpgid. It is an option of its own: write it on its own line"
      complains "a listen option of the wrong type", "listen 3000, backlog: 'x'",
        'coppice.rb:1: backlog of listen must be a whole number, from -1 to 2147483647, but is "x"'
      complains "a scheme that is a text", "listen 3000, scheme: 'https'",
        'coppice.rb:1: scheme of listen must be one of :http, :https, but is "https"'
      complains "a hook that asks for too much", "before_fork do |server, worker|\nend",
        "coppice.rb:1: before_fork is called with 1 (server), but the block asks for 2: write |server|. " \
        "For example: before_fork do |server| … end"
      complains "Pitchfork's pause after a refork, of a wrong type", "Pitchfork::ReforkCondition.backoff_delay = :long",
        "coppice.rb:1: refork_backoff must be a number of seconds, 0 or more, but is :long. " \
        "For example: refork_backoff 10"
      complains "a hook that is no block", "before_fork 5",
        "coppice.rb:1: before_fork takes a block, but got 5. For example: before_fork do |server| … end"
      complains "a logger that is none", "logger 'x.log'",
        'coppice.rb:1: logger must be an object that answers debug, info, warn, error and fatal, but is "x.log". ' \
        "For example: logger Logger.new(\"log/server.log\")"
      complains "an exception in the file", "# one\nraise 'boom'", "coppice.rb:2: RuntimeError: boom"
      complains "an exception in a method of the file", "def x\n  raise ArgumentError, 'deep'\nend\nx",
        "coppice.rb:2: ArgumentError: deep"
      complains "a missing library", "require 'no_such_library'",
        "coppice.rb:1: LoadError: cannot load such file -- no_such_library"

      test "an unknown method on another object is reported as it is" do
        error = complaint("\nnil.worker_processes")
        assert_match(/\Acoppice.rb:2: NoMethodError: undefined method [`']worker_processes' for nil/, error.message)
        assert_kind_of NoMethodError, error.cause
      end

      test "an unknown constant is named as it is written" do
        ["NoSuch", "def method_of_file = NoSuch\nmethod_of_file", "self.class::NoSuch", "NoSuch::Deeper"].each do |text|
          assert_equal "coppice.rb:1: NameError: uninitialized constant NoSuch", complaint(text).message
        end
      end

      test "a module of the file is named as it is written" do
        { "module Own; NoSuch; end" => "NameError: uninitialized constant Own::NoSuch",
          "class Own; class Error < StandardError; end; raise Error; end" => "Own::Error: Own::Error" }
          .each { |text, message| assert_equal "coppice.rb:1: #{message}", complaint(text).message }
      end

      test "a message in another encoding is an error as others are" do
        assert_equal "coppice.rb:1: RuntimeError: ? no", complaint("raise \"\\xff no\"").message
      end

      test "an unknown constant of a hook is named as it is written" do
        hooks = read("after_mold_fork { NoSuch }").hooks
        error = assert_raises(NameError) { hooks.fetch(:after_mold_fork).call }
        assert_equal "uninitialized constant NoSuch", error.message.lines.first.chomp
      end

      test "a syntax error has its line" do
        error = complaint("worker_processes 4\ntimeout (\n")
        assert_equal "coppice.rb", error.file
        assert_includes [2, 3], error.line # Rubies do not agree
        assert_match(/\Acoppice\.rb:\d: syntax error/, error.message)
      end

      test "an encoding that Ruby does not know is an error of the file, which is named once" do
        message = complaint("# encoding: none-such\n").message
        known = "coppice.rb: ArgumentError: unknown encoding name: none-such" # the parser of Rubies before 3.4
        assert_match(/\A(?:#{known}\z|coppice\.rb:1: unknown or invalid encoding in the magic comment)/, message)
      end

      test "an exception of the file is no error of its text, though its message begins with the file and a line" do
        error = complaint("timeout 9\nraise ArgumentError, \"\#{__FILE__}:1: no such release\"")
        assert_match(/\Acoppice\.rb:2: ArgumentError: .*:1: no such release\z/, error.message)
      end

      test "a syntax error in a file that this one requires has that file's name, and the line that requires it" do
        with_tmpdir do |folder|
          File.write("#{folder}/other.rb", "1\n2 (\n")
          error = complaint("# one\nrequire #{"#{folder}/other".inspect}")

          assert_match(/\Acoppice\.rb:2: #{folder}\/other\.rb:\d: syntax error/, error.message)
        end
      end

      test "a file that is no program at all has a message of some lines" do
        lines = complaint("<html><body>hi</body></html>\n" * 10).message.lines

        assert_equal [13, "…"], [lines.size, lines.last]
      end

      test "a syntax error has no control characters, nor colours, and lines of some width" do
        message = syntax_problem("config:3: \e[31m#{'w' * 300}\e[0m\x07\t1\nconfig:4: more").message

        assert_equal ["coppice.rb:3: #{'w' * 200}", "coppice.rb:4: more"], message.lines(chomp: true)
        assert_equal "coppice.rb:3: a?b c", syntax_problem("config:3: a\x07b\tc").message
      end

      test "a syntax error is one in each encoding of the file's path" do
        error = syntax_problem("caf\u00e9:3: x\ncaf\u00e9:4: y", path: "caf\u00e9".b, file: "caf\u00e9".b)

        assert_equal "caf\u00e9:3: x\ncaf\u00e9:4: y", error.message
      end

      test "the line is the one that sets an option within a loop or a method" do
        assert_equal 2, complaint("def set(number)\n  worker_processes number\nend\nset(:x)").line
      end

      test "a file that cannot be read" do
        with_tmpdir do |folder|
          error = assert_raises(ConfigError) { ConfigFile.read("config", directory: folder) }
          assert_equal "config: the configuration file cannot be read (No such file or directory)", error.message
        end
      end

      test "file, line and remedy can be asked for" do
        error = complaint("tiemout 5")
        assert_equal ["coppice.rb", 1, "Did you mean timeout?"], [error.file, error.line, error.remedy]
      end

      private

      def complaint(text) = assert_raises(ConfigError) { read(text) }

      def syntax_problem(message, path: "config", file: "coppice.rb")
        SyntaxProblem.error(SyntaxError.new(message), file: file, path: path)
      end

      def read(text)
        with_tmpdir do |folder|
          File.write(File.join(folder, "coppice.rb"), text)
          ConfigFile.read("coppice.rb", directory: folder)
        end
      end
    end
  end
end
