# frozen_string_literal: true

require "minitest/autorun"
require "coppice/minitest"

# What ends a suite early. The second test of each class does it, in generation 1.
class EndingTest < Minitest::Test
  def self.second_test(name, &body)
    Object.const_set("#{name}Test", Class.new(EndingTest) do
      i_suck_and_my_tests_are_order_dependent!

      define_method(:test_first) { assert true }
      define_method(:test_second) { instance_exec(&body) || assert(true) }
      define_method(:test_third) { assert puts("the third test ran").nil? }
    end)
  end

  second_test("Exit") { exit 7 }
  second_test("Kill") { Process.kill(:KILL, Process.pid) }
  second_test("Fork") { Process.wait(fork { exit 3 }) && nil }
  second_test("Unsafe") { Coppice::Info.no_longer_fork_safe! && nil }
  second_test("Hang") { puts("in the test") || $stdout.flush && sleep }
end

class ParallelTest < Minitest::Test
  parallelize_me!
  def test_parallel = assert(true)
end if ENV["PARALLEL"]

# A failure that belongs to no test, as minitest-hooks records it for a hook around all tests of a class.
class HookTest < EndingTest
  def self.run(reporter, *options)
    super
    result = Minitest::Result.from(new("after_all"))
    result.failures << Minitest::UnexpectedError.new(RuntimeError.new("no database"))
    reporter.record(result)
  end

  def test_first = assert(true)
  def test_second = assert(true)
end if ENV["HOOK"]

# Returns what no process can copy to another.
class AnswerTest < EndingTest
  def self.run(...) = super && Thread.current
  def test_first = assert(true)
  def test_second = assert(true)
end if ENV["ANSWER"]

# Fails when the last generation saves what it has counted.
module SimpleCov
  singleton_class.attr_accessor :external_at_exit, :at_exit_behavior # for its plugin
  def self.running = true
  def self.command_name(*) = raise("no coverage")
end if ENV["COVERAGE"]
