# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "open3"
require "rbconfig"
require "coppice/coppice_ext"
require "coppice/start_variables"

# What `exe/coppice` answers before any of its commands runs.
class LauncherTest < Coppice::TestCase
  ROOT = File.expand_path("../..", __dir__)
  COMMANDS = [[], %w[serve], %w[check], %w[version], %w[help], %w[memory], %w[cold], %w[single], %w[-v]].freeze

  test "the internal command mold is refused to users" do
    [%w[mold], %w[mold now], %w[mold 0], %w[mold 4000]].each do |words|
      text, status = run_in(ROOT, *words)

      assert_equal [2, 1], [status, text.lines.size]
      assert_match(/\Acoppice: mold is an internal command/, text)
    end
  end

  test "without its compiled extension every command says in one line how to build it" do
    with_tmpdir do |folder|
      copy_uncompiled(folder)
      COMMANDS.each do |words|
        text, status = run_in(folder, *words)

        assert_equal 1, status
        # This text is made for people.
        assert_match(/\Acoppice: the compiled extension .*bin\/setup.*gem pristine coppice.*\n\z/, text)
      end
    end
  end

  # As Rubies do that compilers have protected from stack clashes.
  TOUCHING_ITS_STACK = <<~'RUBY'
    def recurse(depth) = depth.zero? ? 0 : catch { recurse(depth - 1) }
    def used_kib = File.read("/proc/self/smaps")[/ \[stack\]\n.*?^Rss: +(\d+)/m, 1]
    recurse(2000)
    touched = used_kib
    at_exit { puts touched, used_kib }
    load ARGV.shift
  RUBY

  test "each process first gives back what Ruby has touched of its stack" do
    skip "only on Linux" unless Coppice::OS.supervises?
    text, = Open3.capture2(RbConfig.ruby, "-e", TOUCHING_ITS_STACK, "#{ROOT}/exe/coppice", "version")
    touched, used = text.lines.last(2).map { |line| Integer(line) }

    assert_operator touched, :>, used + 256
  end

  # Bundler starts the program once more when the lock file names another version of it.
  test "the variables of a program's start are there as long as its bundle may start it again" do
    with_tmpdir do |folder|
      Dir.mkdir("#{folder}/bundler")
      File.write("#{folder}/bundler/setup.rb", "puts ENV['AT_START'].inspect")
      File.write("#{folder}/coppice.rb", "puts ENV['AT_START'].inspect")
      variables = { "AT_START" => "1", Coppice::StartVariables::LIST => "AT_START", "BUNDLE_GEMFILE" => "Gemfile",
                    "RUBYLIB" => folder, "RUBYOPT" => nil }
      text, = Open3.capture2e(variables, RbConfig.ruby, "--disable=gems", "#{ROOT}/exe/coppice", "cold", "-c",
        "coppice.rb", chdir: folder)

      assert_equal ['"1"', "nil"], text.split.first(2)
    end
  end

  private

  def run_in(folder, *words)
    environment = { "BUNDLE_GEMFILE" => nil, "RUBYOPT" => nil, "RUBYLIB" => nil, "BUNDLER_SETUP" => nil }
    text, status = Open3.capture2e(environment, RbConfig.ruby, "#{folder}/exe/coppice", *words,
      chdir: folder, stdin_data: "")
    [text, status.exitstatus]
  end

  def copy_uncompiled(folder)
    FileUtils.cp_r(["#{ROOT}/exe", "#{ROOT}/lib"], folder)
    FileUtils.rm_r(Dir.glob("#{folder}/lib/coppice/[0-9]*"))
  end
end
