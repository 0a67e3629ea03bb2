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

    test "what failed is told at once, because the run may be ended" do
      quiet = "# lane: quiet -- runs behind the others\n#{GOOD}"
      _, lines = run_files({ "a_test.rb" => MIXED, "b_test.rb" => quiet })

      assert_operator lines.index { |line| line.include?("on purpose") }, :<,
        lines.index { |line| line.include?("b_test.rb: 1 passed") }
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
      assert_includes lines, "once more, alone: a_test.rb"
      eventually { lines.grep(/\A\d+\z/).all? { |pid| gone?(Integer(pid)) } }
    end

    test "a file that passes when it runs again, alone, was unsteady" do
      passed, lines = run_once_failing({ "a_test.rb" => "flunk('on purpose')" }, "b_test.rb" => GOOD)

      assert passed
      assert_equal "2 passed, 0 failed, 0 skipped, 1 unsteady; a_test.rb (first)", lines.last
      assert_match(/\AUNSTEADY a_test.rb: first \(\d+\.\d s, machine load [\d.]+, longest stall \d+\.\d s\)/,
        lines.grep(/\AUNSTEADY/).first)
      assert(lines.any? { |line| line.include?("on purpose") })
    end

    soak_test "a file that fails again has failed" do
      passed, lines = run_files({ "a_test.rb" => MIXED })

      refute passed
      assert_includes lines, "once more, alone: a_test.rb"
      assert_equal 2, lines.grep(/a_test.rb: 1 passed, 1 FAILED/).size
    end

    soak_test "what a file left behind is not excused by a second run" do
      passed, lines = run_once_failing({ "a_test.rb" => "Minitest.after_run { abort 'LEAK: descriptor 9' }" })

      refute passed
      assert_empty lines.grep(/once more/)
    end

    test "some files of one folder of the unit tests share a process, and run alone once that has failed" do
      shared = GOOD.sub("assert(true)", "$shared ? flunk('a neighbour disturbs') : assert($shared = true)")
      files = %w[A B C].to_h { |name| ["test/unit/x/#{name.downcase}_test.rb", shared.sub("Mixed", name)] }
      passed, lines = run_files(files)
      batch = %r{test/unit/x/\{\w,\w,\w\}_test.rb}

      assert passed
      assert_match(/ s  #{batch}: 1 passed, 2 FAILED/, lines.grep(/FAILED/).first)
      assert_equal 3, lines.grep(%r{ s  test/unit/x/\w_test.rb: 1 passed}).size
      assert_match(/\A3 passed, 0 failed, 0 skipped, 1 unsteady; #{batch} /, lines.last)
      assert_equal "3 passed, 0 failed, 0 skipped", run_files(files, "--alone").last.last
    end

    soak_test "what one of several files has left behind, or crashed, is told with its name" do
      files = %w[a b c].to_h { |name| ["test/unit/#{name}_test.rb", GOOD.sub("Mixed", name.upcase)] }
      { "Minitest.after_run { abort 'LEAK: descriptor 9' }" => /\(all tests passed, but/,
        "Process.kill(:KILL, Process.pid)" => /\(exited without a summary/ }.each do |code, problem|
        passed, lines = run_files(files.merge("test/unit/b_test.rb" => "#{files.values[1]}\n#{code}"))

        refute passed
        assert_match(/\A\d passed, 1 failed, 0 skipped; test.unit.b_test.rb #{problem}/, lines.last)
      end
    end

    soak_test "what is left behind only by files that share a process has failed" do
      leaks = "Minitest.after_run { abort 'LEAK: descriptor 9' if defined?(ATest) && defined?(BTest) }"
      files = %w[A B].to_h { |name| ["test/unit/#{name.downcase}_test.rb", "#{GOOD.sub("Mixed", name)}\n#{leaks}"] }
      passed, lines = run_files(files)

      refute passed
      assert_match(/\A1 passed, 1 failed, 0 skipped; .*{a,b}_test.rb .*; none of the files does so alone\)/, lines.last)
    end

    soak_test "what several files have left behind stays reported where one of them fails alone for another reason" do
      leaks = "Minitest.after_run { abort 'LEAK: descriptor 9' if defined?(ATest) && defined?(BTest) }"
      files = %w[A B].to_h { |name| ["test/unit/#{name.downcase}_test.rb", "#{GOOD.sub("Mixed", name)}\n#{leaks}"] }
      files["test/unit/a_test.rb"] += "\nATest.class_eval { def test_alone = assert(defined?(BTest)) }"
      passed, lines = run_files(files)

      refute passed
      assert_match(/\A2 passed, 1 failed, 0 skipped; .*{a,b}_test.rb .*; none of the files does so alone\)/, lines.last)
    end

    test "a file that has only the class of another one is refused in the same process" do
      passed, lines = run_files(%w[a b].to_h { |name| ["test/unit/#{name}_test.rb", GOOD] })

      refute passed
      assert(lines.any? { |line| line.include?("_test.rb holds no test in a class of its own") })
    end

    soak_test "more than three unsteady files are a failure" do
      passed, lines = run_once_failing(%w[a b c d].to_h { |name| ["#{name}_test.rb", "flunk('on purpose')"] })

      refute passed
      assert_match(/\A4 passed, 0 failed, 0 skipped, 4 unsteady; /, lines.last)
    end

    soak_test "several times: each with the next seed, and no failed file once more" do
      passed, lines = run_once_failing({ "a_test.rb" => "flunk('on purpose')" }, "--times", "3")

      refute passed
      assert_equal ["seed 7", "seed 8", "seed 9"], lines.grep(/\Aseed/)
      assert_equal "2 passed, 1 failed, 0 skipped; a_test.rb (first)", lines.last
    end

    soak_test "the soak lane runs when it is named, the quiet one behind the others" do
      with_tmpdir do |folder|
        files = { "a" => "# lane: quiet -- the clock decides", "b" => "", "c" => "# lane: soak -- takes hours" }
        files.each { |name, lane| write(folder, "test/#{name}_test.rb", "#{lane}\n#{GOOD}") }

        assert_equal %w[b_test.rb a_test.rb], order_of(folder)
        assert_equal %w[b_test.rb a_test.rb], order_of(folder, "#{folder}/test")
        write(folder, "test/d_test.rb", "def soak_test(_) = nil\n soak_test \"takes hours\"\n#{GOOD}")
        assert_equal %w[c_test.rb d_test.rb], order_of(folder, "--lane", "soak").sort
        assert_equal %w[c_test.rb], order_of(folder, "#{folder}/test/c_test.rb")
        write(folder, "test/e_test.rb", "# lane: sometimes\n#{GOOD}")
        assert_includes assert_raises(ArgumentError) { order_of(folder) }.message, "e_test.rb: say `# lane: quiet|soak"
      end
    end

    test "the files that were touched since a commit" do
      with_tmpdir do |folder|
        %w[a b].each { |name| write(folder, "test/#{name}_test.rb", GOOD) }
        git = ["git", "-C", folder, "-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main"]
        ["init", "add .", "commit -m all"].each { |words| assert system(*git, *words.split, out: File::NULL) }
        write(folder, "test/b_test.rb", "#{GOOD}# changed")

        arguments = Arguments.new(["--changed", "HEAD"], root: folder)
        assert_equal [["#{folder}/test/b_test.rb"], 1], [arguments.files, arguments.times]
        assert_raises(ArgumentError) { Arguments.new(["--changed", "nothing"], root: folder) }
      end
    end

    soak_test "a process that left the file's group is found, ended and named" do
      ENV["COPPICE_REAPER_SECONDS"] = "0.1"
      passed, lines = run_files({ "a_test.rb" => "spawn('tail -f /dev/null', pgroup: true)\n#{GOOD}" })

      refute passed
      assert_empty lines.grep(/once more/)
      pid = lines.grep(/LEAK: this file leaves the process \d+ \(tail -f/).first[/\d+/]
      assert gone?(Integer(pid))
    ensure
      ENV.delete("COPPICE_REAPER_SECONDS")
    end

    test "no plugin of Minitest is loaded" do
      passed, = run_files({ "a_test.rb" => GOOD, "lib/minitest/stray_plugin.rb" => "abort" })

      assert passed
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

    # Runs test files with the given texts; returns what the runner returns, and its lines.
    def run_files(files, *options, limit: 60)
      with_tmpdir do |folder|
        files.each { |name, text| write(folder, name, text) }
        run_in(folder, folder, "--seed", "7", *options, limit: limit)
      end
    end

    def run_in(root, *words, limit: 60)
      out = StringIO.new
      [Runner.new(Arguments.new(words, root: root), out: out, folder: root, limit: limit).run,
       out.string.lines(chomp: true)]
    end

    # Each file runs the code in its first run, and passes later.
    def run_once_failing(codes, *options, limit: 60, **others)
      with_tmpdir do |marks|
        files = codes.to_h do |name, code|
          mark = "#{marks}/#{name}"
          once = "def test_first = File.exist?('#{mark}') ? pass : fail_once\n" \
                 "def fail_once = File.write('#{mark}', '') && (#{code})"
          [name, GOOD.sub(/def test_good.*/) { once }]
        end
        run_files(files.merge(others.transform_keys(&:to_s)), *options, limit: limit)
      end
    end

    def write(folder, name, text)
      path = File.join(folder, name)
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, text)
    end

    # The names of the files, in the order in which they end.
    def order_of(folder, *words) = run_in(folder, *words).last.filter_map { |line| line[/ s  .*?(\w+\.rb)/, 1] }

    def gone?(pid)
      Process.kill(0, pid) && File.read("/proc/#{pid}/stat").include?(") Z ")
    rescue Errno::ESRCH, Errno::ENOENT
      true
    end
  end
end
