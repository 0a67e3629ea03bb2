# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "rbconfig"
require "coppice/coppice_ext"
require "coppice/cli/commands"

# Each command in a process that has loaded nothing for another one: what it fails to require is missing there.
class CommandLinesTest < Coppice::TestCase
  EXECUTABLE = File.expand_path("../../exe/coppice", __dir__)
  # One for each file: most verbs of a running server share theirs.
  COMMANDS = Coppice::CLI::COMMANDS.values.select(&:summary).uniq(&:feature)
  NAMES = COMMANDS.map(&:name)
  # The words of `run` and `console` are a program's, and two take any.
  STRICT = COMMANDS.reject(&:takes_program).map(&:name) - %w[help version]

  # Without RubyGems, which loads libraries of Ruby's own. Each fork runs the executable as a new process does, and
  # inherits only what the executable loads for all commands.
  FORKS = <<~'RUBY'
    executable, *lines = ARGV
    $LOAD_PATH.unshift(File.expand_path("../../lib", executable))
    require "coppice/coppice_ext"
    require "coppice/cli"
    answers = lines.map do |line|
      reader, writer = IO.pipe
      pid = fork do
        [$stdout, $stderr].each { |stream| stream.reopen(writer) }
        ARGV.replace(line.split)
        load executable
      end
      writer.close
      [line, Process.wait2(pid).last.exitstatus, reader.read]
    end
    require "json" # not before: a command that forgets it would find it
    $stdout.write(JSON.generate(answers))
  RUBY

  test "each command tells what it does" do
    lines = ["help", "-v", "version", "completion bash", "help status", "help timeout", "help before_fork",
             "help service", *NAMES.map { |name| "#{name} --help" }]
    answers(lines).each do |line, status, text|
      assert_equal 0, status, "coppice #{line}: #{text}"
      refute_empty text, line
    end
  end

  test "each command says in one line what it does not know" do
    lines = ["nonsense", "help nonsense", "--nonsense", "completion nonsense", "mold",
             *STRICT.map { |name| "#{name} --nonsense" }]
    answers(lines).each do |line, status, text|
      assert_equal [2, 1], [status, text.lines.size], "coppice #{line}: #{text}"
      assert_match(/\Acoppice: /, text, line)
    end
  end

  private

  def answers(lines)
    environment = { "BUNDLE_GEMFILE" => nil, "RUBYOPT" => nil, "RUBYLIB" => nil, "BUNDLER_SETUP" => nil }
    with_tmpdir do |folder|
      text, = Open3.capture2(environment, RbConfig.ruby, "--disable=gems", "-e", FORKS, EXECUTABLE, *lines,
        chdir: folder)
      JSON.parse(text)
    end
  end
end
