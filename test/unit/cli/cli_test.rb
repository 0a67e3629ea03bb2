# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "stringio"
require "coppice/cli"

module Coppice
  class CLITest < TestCase
    LIBRARY = File.expand_path("../../../lib", __dir__)

    test "a bare word is a command, flags and rackup files are for serve" do
      assert_equal "check", command(%w[check -c x.rb])
      assert_equal "serve", command([])
      assert_equal "serve", command(%w[serve -p 3000])
      assert_equal "serve", command(%w[-p 3000 config.ru])
      assert_equal "serve", command(%w[config.ru])
      assert_equal "serve", command(%w[./app])
      assert CLI.serving?(%w[-p 3000])
      refute CLI.serving?(%w[check])
    end

    test "a file with the name of a command does not hide it" do
      with_tmpdir do |folder|
        %w[stop app].each { |name| File.write(File.join(folder, name), "") }
        Dir.chdir(folder) { assert_equal %w[stop serve serve], %w[stop ./stop app].map { |word| command([word]) } }
      end
    end

    test "an unknown command is reported with the nearest name, and status 2" do
      assert_equal [2, "coppice: unknown command chekc. Did you mean check?\n"], run_cli("chekc")
      assert_equal [2, "coppice: unknown command frobnicate. coppice help lists all commands\n"], run_cli("frobnicate")
    end

    test "an unknown flag is reported with the nearest name, and status 2" do
      assert_equal [2, "coppice: unknown flag --prot. Did you mean --port?\n"], run_cli("--prot", "3")
      assert_equal [2, "coppice: unknown flag --shwo. Did you mean --show?\n"], run_cli("check", "--shwo")
    end

    test "a configuration does not name a running server, and the error says what does" do
      [%w[status -c b.rb], %w[refork --config-file a.rb], %w[top -c a.rb], %w[memory -c a.rb]].each do |words|
        assert_equal [2, "coppice: unknown flag #{words[1]}. A running server is found without its configuration: " \
                         "run this in the server's directory, or give --pid PID\n"], run_cli(*words)
      end
    end

    test "each command for a running server takes its pid as the last word" do
      own = { "workers" => %w[3], "recycle" => %w[0], "log-level" => %w[debug], "backtrace" => %w[0] }
      pid = (Integer(File.read("/proc/sys/kernel/pid_max")) + 1).to_s
      names = Control::VERBS.each_value.reject(&:descriptors).map(&:name) + %w[memory top profile]
      names.each do |name|
        words = [name, *own[name]]
        status, text = run_cli(*words, pid)

        assert_equal [1, run_cli(*words, "--pid", pid)], [status, [status, text]], name
        assert_includes text, pid
      end
      assert_equal run_cli("roll", "--pid", pid, "releases"), run_cli("roll", "releases", pid)
    end

    test "a release may have a number for a name" do
      with_tmpdir do |folder|
        roll = -> { Dir.chdir(folder) { run_cli("roll", "20261128", "--socket", "none").last } }
        assert_includes roll.call, "--pid and --socket both name the server"
        Dir.mkdir("#{folder}/20261128")

        assert_includes roll.call, "there is no control socket none"
      end
    end

    test "an argument that is not in the encoding of the locale is refused, unless it is a program's" do
      [["\xFF"], ["check", "-c", "\xFF"], ["--pid\xFF"], ["help", "\xFF"]].each do |words|
        assert_equal [2, "coppice: the argument #{words.last.inspect} is not in UTF-8\n"], run_cli(*words)
      end
      assert_match(/\Acoppice: unknown flag -\uFFFD/, run_cli("run", "-\xFF").last)
      assert_equal "coppice: process #{Process.pid} is no Coppice monitor\n",
        run_cli("run", "--pid", Process.pid.to_s, "bin/task", "\xFF").last
    end

    test "a wrong configuration has status 1" do
      assert_equal [1, "coppice: /no/file.rb: there is no such file. Give the right one with -c\n"],
        run_cli("check", "-c", "/no/file.rb")
    end

    test "help and version are flags of serve as well, wherever they stand" do
      %w[-h --help].each { |flag| assert_match(/\AUsage: coppice/, shell("-p", "3000", flag).first) }
      assert_equal "coppice #{VERSION} (ruby #{RUBY_VERSION})\n", shell("serve", "-v").first
      assert_equal shell("version").first, shell("--version").first
    end

    test "the status is the process's, in a Ruby without gems" do
      assert_equal 0, shell("help").last
      assert_equal 2, shell("--prot").last
    end

    private

    def command(words)
      CLI.new(words).command_name
    end

    def run_cli(*words)
      error = StringIO.new
      [CLI.new(words, error: error).run, error.string]
    end

    def shell(*words)
      output, status = Open3.capture2e({ "RUBYOPT" => nil }, RbConfig.ruby, "--disable-gems", "-w", "-I", LIBRARY,
        "-r", "coppice/cli",
        "-e", "Coppice::CLI.run(ARGV)", "--", *words)
      [output, status.exitstatus]
    end
  end
end
