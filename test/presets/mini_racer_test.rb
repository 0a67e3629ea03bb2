# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class MiniRacerPresetTest < PresetTestCase
    test "the worker in which V8 has threads is never promoted" do
      assert_never_promoted('require "mini_racer"', 'MiniRacer::Context.new.eval("1 + 1")')
    end
  end
end
