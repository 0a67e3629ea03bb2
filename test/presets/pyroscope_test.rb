# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class PyroscopePresetTest < PresetTestCase
    test "the worker that is profiled is never promoted" do
      assert_never_promoted('require "pyroscope"', <<~'RUBY')
        Pyroscope.configure do |config|
          config.server_address = "http://127.0.0.1:1"
          config.log_level = "none"
        end
      RUBY
    end
  end
end
