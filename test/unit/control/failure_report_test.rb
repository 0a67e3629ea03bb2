# frozen_string_literal: true

require "test_helper"
require "coppice/control/failure_report"

class FailureReportTest < Coppice::TestCase
  def class_and_place(error, *backtrace)
    error.set_backtrace(backtrace)
    Coppice::Control::FailureReport.of(error).error
  end

  def reason(error) = Coppice::Control::FailureReport.of(error).message

  test "the first line has the class and the first frame of the application" do
    frames = ["/gems/pg/lib/pg.rb:9:in `connect'", "#{Dir.pwd}/vendor/gems/a.rb:1", "#{Dir.pwd}/app/shop.rb:3:in `db'"]

    assert_equal "ArgumentError (app/shop.rb:3:in `db')", class_and_place(ArgumentError.new("no"), *frames)
  end

  test "without a frame of the application it has the class alone" do
    assert_equal "RuntimeError", class_and_place(RuntimeError.new("no"), "/gems/pg/lib/pg.rb:9:in `connect'")
  end

  test "the mark of a backtrace that was cut is no frame" do
    frames = Array.new(150, "/gems/pg/lib/pg.rb:9:in `connect'")

    assert_equal "RuntimeError", class_and_place(RuntimeError.new("no"), *frames)
  end

  test "both lines are bounded, and harmless for a terminal" do
    error = RuntimeError.new("\e[2J#{"long " * 1000}\nsecond line")

    assert_match(/\ARuntimeError \(aaaa+\.\.\.\)\z/, class_and_place(error, "#{Dir.pwd}/#{"a" * 1000}.rb:1"))
    assert_operator class_and_place(error, "#{Dir.pwd}/#{"a" * 1000}.rb:1").size, :<, 170
    assert_match(/\A\\u\{1b\}\[2Jlong .*\.\.\.\z/, reason(error))
    assert_operator reason(error).size, :<, 210
  end

  test "the reason is the first line that is not blank" do
    assert_equal "Migrations are pending", reason(RuntimeError.new("\n \nMigrations are pending\nRun them"))
    assert_equal "", reason(RuntimeError.new("\n"))
  end

  test "a message that is malformed, or raises, is told all the same" do
    raising = Class.new(StandardError) { def message = raise("no message") }.new

    assert_equal "(its message raised RuntimeError)", reason(raising)
    assert_equal "\uFFFD", reason(RuntimeError.new("\xFF"))
  end
end
