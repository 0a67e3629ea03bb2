# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class WasmtimePresetTest < PresetTestCase
    test "the worker that has compiled a module is never promoted" do
      assert_never_promoted('require "wasmtime"', <<~'RUBY')
        functions = %w[f g].map { |name| %[(func (export "#{name}"))] }
        Wasmtime::Module.new(Wasmtime::Engine.new, "(module #{functions.join})")
      RUBY
    end
  end
end
