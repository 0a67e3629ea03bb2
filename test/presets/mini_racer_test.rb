# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class MiniRacerPresetTest < PresetTestCase
    SINGLE_THREADED = <<~'RUBY'
      require "mini_racer"
      MiniRacer::Platform.set_flags!(:single_threaded)
      ECHO = MiniRacer::Context.new
      ECHO.attach("echo", ->(token) { token })
      LOOP = MiniRacer::Context.new(timeout: 50)
      run(lambda do |env|
        begin
          LOOP.eval("while (true) {}")
        rescue MiniRacer::ScriptTerminatedError
          token = ECHO.call("echo", env["QUERY_STRING"])
        end
        [200, {}, ["#{token} - #{Process.pid}"]]
      end)
    RUBY

    test "with :single_threaded workers are promoted, and copies use its contexts, also with a timeout" do
      assert_survives(SINGLE_THREADED)
    end

    test "the worker in which V8 has threads is never promoted" do
      assert_never_promoted('require "mini_racer"', 'MiniRacer::Context.new.eval("1 + 1")')
    end
  end
end
