# frozen_string_literal: true

require "test_helper"
require "coppice/log/error_report"
require "coppice/log/terminal_backtrace"

class TerminalBacktraceTest < Coppice::TestCase
  def one_line(error, *backtrace)
    error.set_backtrace(backtrace)
    Coppice::Log::TerminalBacktrace.one_line(Coppice::Log::ErrorReport.new(error))
  end

  test "one line has class, reason and the first frame of the application" do
    frames = ["/gems/pg/lib/pg.rb:9:in `connect'", "#{Dir.pwd}/vendor/gems/a.rb:1", "#{Dir.pwd}/app/shop.rb:3:in `db'"]

    assert_equal "ArgumentError: no (app/shop.rb:3:in `db')", one_line(ArgumentError.new("no"), *frames)
  end

  test "without a frame of the application it has the reason alone" do
    assert_equal "RuntimeError: no", one_line(RuntimeError.new("no"), "/gems/pg/lib/pg.rb:9:in `connect'")
    assert_equal "RuntimeError: ", one_line(RuntimeError.new(""))
  end

  test "one line is bounded, and harmless for a terminal" do
    line = one_line(RuntimeError.new("\e[2J#{"long " * 1000}\nsecond line"), "#{Dir.pwd}/#{"a" * 1000}.rb:1")

    assert_operator line.size, :<, 420
    assert_match(/\ARuntimeError: \\u\{1b\}\[2Jlong .*\.\.\. \(aaaa+\.\.\.\)\z/, line)
  end

  test "a message that is malformed, or raises, is told all the same" do
    raising = Class.new(StandardError) { def message = raise("no message") }.new

    assert_match(/: \(its message raised RuntimeError\)\z/, one_line(raising))
    assert_equal "RuntimeError: \uFFFD", one_line(RuntimeError.new("\xFF"))
  end
end
