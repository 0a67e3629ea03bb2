# frozen_string_literal: true

require "test_helper"
require "coppice/log/error_report"
require "coppice/log/terminal_backtrace"

class TerminalBacktraceTest < Coppice::TestCase
  TerminalBacktrace = Coppice::Log::TerminalBacktrace

  def one_line(error, *backtrace)
    error.set_backtrace(backtrace)
    TerminalBacktrace.one_line(Coppice::Log::ErrorReport.new(error))
  end

  def first_reason(error) = TerminalBacktrace.first_reason(Coppice::Log::ErrorReport.new(error))

  test "one line has the class and the first frame of the application" do
    frames = ["/gems/pg/lib/pg.rb:9:in `connect'", "#{Dir.pwd}/vendor/gems/a.rb:1", "#{Dir.pwd}/app/shop.rb:3:in `db'"]

    assert_equal "ArgumentError (app/shop.rb:3:in `db')", one_line(ArgumentError.new("no"), *frames)
  end

  test "without a frame of the application it has the class alone" do
    assert_equal "RuntimeError", one_line(RuntimeError.new("no"), "/gems/pg/lib/pg.rb:9:in `connect'")
  end

  test "the mark of a backtrace that was cut is no frame" do
    assert_equal "RuntimeError", one_line(RuntimeError.new("no"), *Array.new(150, "/gems/pg/lib/pg.rb:9:in `connect'"))
  end

  test "both lines are bounded, and harmless for a terminal" do
    error = RuntimeError.new("\e[2J#{"long " * 1000}\nsecond line")

    assert_match(/\ARuntimeError \(aaaa+\.\.\.\)\z/, one_line(error, "#{Dir.pwd}/#{"a" * 1000}.rb:1"))
    assert_operator one_line(error, "#{Dir.pwd}/#{"a" * 1000}.rb:1").size, :<, 170
    assert_match(/\A\\u\{1b\}\[2Jlong .*\.\.\.\z/, first_reason(error))
    assert_operator first_reason(error).size, :<, 210
  end

  test "the first reason is the first line that is not blank" do
    assert_equal "Migrations are pending", first_reason(RuntimeError.new("\n \nMigrations are pending\nRun them"))
    assert_equal "", first_reason(RuntimeError.new("\n"))
  end

  test "a message that is malformed, or raises, is told all the same" do
    raising = Class.new(StandardError) { def message = raise("no message") }.new

    assert_equal "(its message raised RuntimeError)", first_reason(raising)
    assert_equal "\uFFFD", first_reason(RuntimeError.new("\xFF"))
  end
end
