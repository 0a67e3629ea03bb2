# frozen_string_literal: true

require "test_helper"
require "coppice/os/clock"

module Coppice
  class ClockTest < TestCase
    test "an application that travels in time does not take the server's clock along" do
      before = OS::Clock.now
      Process.stub(:clock_gettime, 0) do
        assert_operator OS::Clock.now, :>=, before
        assert_operator OS::Clock.now_ms, :>=, (before * 1000).floor
      end
    end

    test "seconds and milliseconds are of one clock" do
      seconds = OS::Clock.now
      milliseconds = OS::Clock.now_ms

      assert_kind_of Integer, milliseconds
      assert_includes (seconds * 1000).floor..(OS::Clock.now * 1000), milliseconds
    end
  end
end
