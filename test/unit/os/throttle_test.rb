# frozen_string_literal: true

require "test_helper"
require "coppice/os/throttle"

class ThrottleTest < Coppice::TestCase
  test "it lets nothing pass before its pause is over" do
    throttle = Coppice::OS::Throttle.new(0.5)

    assert_equal [true, false, false, true, false], [10.0, 10.0, 10.4, 10.5, 10.9].map { |now| throttle.claim(now) }
    assert_in_delta 11.0, throttle.next_at
  end

  test "the pause begins when something has passed, not when it could have" do
    throttle = Coppice::OS::Throttle.new(0.5)
    throttle.claim(10.0)
    throttle.claim(11.4)

    refute throttle.claim(11.6)
    assert throttle.claim(11.9)
  end
end
