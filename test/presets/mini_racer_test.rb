# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class MiniRacerPresetTest < PresetTestCase
    test "the worker in which V8 has threads is never promoted" do
      assert_never_promoted(<<~'RUBY')
        require "mini_racer"
        run(lambda do |_env|
          MiniRacer::Context.new.eval("1 + 1")
          [200, {}, ["done"]]
        end)
      RUBY
    end
  end
end
