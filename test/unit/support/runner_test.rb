# frozen_string_literal: true

require "test_helper"
require "stringio"
require "support/runner"

module Coppice
  class RunnerTest < TestCase
    MIXED = <<~RUBY
      require "minitest/autorun"
      class MixedTest < Minitest::Test
        def test_good = assert(true)
        def test_bad = flunk("on purpose")
        def test_later = skip("not here")
      end
    RUBY
    GOOD = MIXED.lines.grep_v(/bad|later/).join

    test "the last line counts tests, not files, and names those that failed" do
      passed, lines = run_files({ "a_test.rb" => MIXED, "b_test.rb" => GOOD })

      refute passed
      assert_equal "2 passed, 1 failed, 1 skipped; a_test.rb (bad)", lines.last
      assert(lines.any? { |line| line.include?("on purpose") })
    end

    test "when all pass, no output of theirs is shown" do
      passed, lines = run_files({ "a_test.rb" => GOOD })

      assert passed
      assert_equal ["seed 7", "a_test.rb: 1 passed", "1 passed, 0 failed, 0 skipped"],
        lines.map { |line| line.sub(/\A +[\d.]+ s  /, "") }
    end

    test "the last line names tests with an error, by their sentences" do
      failing = "#{GOOD}\nclass MixedTest; define_method('test_a sentence: with [it]') { raise 'on purpose' }; end"
      _, lines = run_files({ "a_test.rb" => failing })

      assert_equal "1 passed, 1 failed, 0 skipped; a_test.rb (a sentence: with [it])", lines.last
    end

    test "a file that dies without a summary has failed" do
      dying = "$stdout.write('so far'); $stdout.flush; exit!(0)"
      passed, lines = run_files({ "a_test.rb" => dying, "b_test.rb" => GOOD })

      refute passed
      assert_match(/\A1 passed, 1 failed, 0 skipped; a_test.rb \(exited without a summary/, lines.last)
      assert(lines.any? { |line| line.include?("so far") })
    end

    test "a file that ends with an error after its last test has failed" do
      passed, lines = run_files({ "a_test.rb" => "#{GOOD}\nMinitest.after_run { abort 'left something' }" })

      refute passed
      assert_match(/\A0 passed, 1 failed, 0 skipped; a_test.rb \(all tests passed, but/, lines.last)
    end

    test "a file without tests has failed, unless only some tests are wanted" do
      refute run_files({ "a_test.rb" => 'require "minitest/autorun"' }).first
      assert run_files({ "a_test.rb" => GOOD, "b_test.rb" => GOOD.sub("good", "other") }, "-n", "/good/").first
    end

    test "a filter that fits no test at all is no success" do
      refute run_files({ "a_test.rb" => GOOD }, "-n", "/nowhere/").first
    end

    test "a file that takes too long is killed with all that it started" do
      stuck = "puts spawn('cat', in: IO.pipe.first); $stdout.flush; IO.pipe.first.read"
      passed, lines = run_files({ "a_test.rb" => stuck }, limit: 1)

      refute passed
      assert_includes lines.join("\n"), "took longer than 1 s"
      eventually { lines.grep(/\A\d+\z/).all? { |pid| gone?(Integer(pid)) } }
    end

    test "a file that hung may run once more, where its first run has a limit of its own" do
      with_tmpdir do |folder|
        hung_once = "File.exist?('#{folder}/ran') || (File.write('#{folder}/ran', '') && sleep)"
        passed, lines = run_files({ "a_test.rb" => "#{hung_once}\n#{GOOD}" }, first_limit: 3)
        assert passed
        assert_includes lines, "a_test.rb: took longer than 3 s and was killed; once more"
      end
      refute run_files({ "a_test.rb" => "sleep" }, first_limit: 1, limit: 2).first
    end

    test "options with values are not taken for files" do
      with_tmpdir do |folder|
        File.write("#{folder}/a_test.rb", GOOD)
        arguments = Arguments.new(["--seed", "5", "#{folder}/a_test.rb", "-n", "/x/", "-v"], root: folder)

        assert_equal [["#{folder}/a_test.rb"], ["--seed", "5", "-n", "/x/", "-v"], 5],
          [arguments.files, arguments.options, arguments.seed]
      end
    end

    test "a file that does not exist is refused by name" do
      error = assert_raises(ArgumentError) { Arguments.new(["test/nowhere_test.rb"], root: Dir.pwd) }
      assert_includes error.message, "nowhere_test.rb"
    end

    private

    # Runs test files with the given texts; answers what the runner answers, and its lines.
    def run_files(files, *options, limit: 60, **how)
      with_tmpdir do |folder|
        files.each { |name, text| File.write("#{folder}/#{name}", text) }
        out = StringIO.new
        arguments = Arguments.new([folder, "--seed", "7", *options], root: folder)
        [Runner.new(arguments, out: out, folder: folder, limit: limit, **how).run, out.string.lines(chomp: true)]
      end
    end

    def gone?(pid)
      Process.kill(0, pid) && File.read("/proc/#{pid}/stat").include?(") Z ")
    rescue Errno::ESRCH, Errno::ENOENT
      true
    end
  end
end
