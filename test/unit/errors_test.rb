# frozen_string_literal: true

require "test_helper"
require "coppice/errors"

class ErrorsTest < Coppice::TestCase
  test "what user code raises is its own, but for what ends the process" do
    own = [RuntimeError, LoadError, SystemStackError, SecurityError, Class.new(Exception)] # rubocop:disable Lint/InheritException -- # why: as those of test libraries
    of_the_process = [SystemExit, Interrupt, SignalException.new("TERM"), NoMemoryError]

    assert_equal [own, of_the_process], [*own, *of_the_process].partition { |error| of_user_code?(error) }
  end

  def of_user_code?(error)
    raise error
  rescue Coppice::UserCodeError
    true
  rescue Exception # rubocop:disable Lint/RescueException -- # why: the others are what this is about
    false
  end
end
