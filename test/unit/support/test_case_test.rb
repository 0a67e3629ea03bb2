# frozen_string_literal: true

require "test_helper"
require "stringio"

module Coppice
  class TestCaseTest < TestCase
    test "a sentence becomes a test" do
      assert_equal ["test_it holds"], suite { test("it holds") { pass } }.runnable_methods
    end

    test "the same sentence twice is refused" do
      error = assert_raises(ArgumentError) { suite { 2.times { test("it holds") { pass } } } }
      assert_includes error.message, "it holds"
    end

    test "a test that asserts nothing fails" do
      assert_equal ["this test asserts nothing"], messages_of { test("it is idle") { nil } }
    end

    test "waiting ends when the condition holds, with what the block answered" do
      answers = [nil, false, :now]
      assert_equal(:now, eventually { answers.shift })
    end

    test "waiting for what never comes fails with the message" do
      messages = messages_of { test("it waits") { eventually(0, "no luck") { false } } }
      assert_equal ["not within 0.0 s: no luck"], messages
    end

    test "a temporary folder is removed after a test and kept when it failed" do
      seen = []
      suite = suite do
        test("good") { with_tmpdir { |folder| assert seen << folder } }
        test("bad") { with_tmpdir { |folder| flunk seen.push(folder).last } }
      end
      _, told = capture_io { suite.runnable_methods.sort.reverse_each { |name| suite.new(name).run } }

      assert_equal [false, true], (seen.map { |folder| File.directory?(folder) })
      assert_includes told, seen.last
    ensure
      FileUtils.rm_rf(seen)
    end

    test "a warning about our own code is an error, one about a gem is not" do
      assert_raises(StrictWarnings::Warned) { warn("careless", uplevel: 0) }
      of_a_gem = "/gems/other.rb:1: warning: careless\n"
      assert_output(nil, of_a_gem) { Warning.warn(of_a_gem) }
    end

    test "what a file leaves behind is found" do
      check = LeakCheck.new
      reader, writer = IO.pipe
      pid = spawn("cat", in: reader)

      _, told = capture_io { assert_raises(SystemExit) { check.verify } }
      assert_includes told, "child process #{pid}"
      assert_match(/descriptor \d+ \(pipe:/, told)
    ensure
      [reader, writer].each(&:close)
      BoundedWait.status_of(pid)
    end

    private

    # A class of tests that does not take part in this run.
    def suite(&block)
      Class.new(TestCase, &block)
    ensure
      Minitest::Runnable.runnables.reject! { |runnable| runnable.name.nil? }
    end

    def messages_of(&block)
      made = suite(&block)
      made.runnable_methods.flat_map { |name| made.new(name).run.failures.map(&:message) }
    end
  end
end
