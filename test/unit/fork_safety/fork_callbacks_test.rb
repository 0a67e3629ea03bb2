# frozen_string_literal: true

require "test_helper"
require "coppice"

module Coppice
  module ForkSafety
    class ForkCallbacksTest < TestCase
      def setup
        @callbacks = ForkCallbacks.new
        @called = []
        @errors = []
      end

      # In the place of a log.
      def exception(message, error, moment:) = @errors << [message, error.message, moment]

      test "blocks of one moment are called in the order in which they were registered" do
        @callbacks.add(before: -> { @called << 1 }, after_in_mold: nil)
        @callbacks.add(after_in_worker: -> { @called << :other })
        @callbacks.add(before: -> { @called << 2 })
        @callbacks.call(:before_fork, self)

        assert_equal [1, 2], @called
        assert_empty @errors
      end

      test "a block may stand in a file whose name is no valid text" do
        @callbacks.add(before: eval("-> { @called << 1 }", binding, "/gems/caf\xE9-1.0/a.rb", 7))

        assert_equal ["/gems/caf\uFFFD-1.0/a.rb:7"], @callbacks.blocks.map { |block| block[:place] }
      end

      test "what a block raises is logged, and the others are called" do
        @callbacks.add(after_in_mold: -> { raise "no such host" })
        @callbacks.add(after_in_mold: -> { raise SystemStackError, "too deep" })
        @callbacks.add(after_in_mold: -> { @called << 1 })
        @callbacks.call(:after_mold_fork, self)

        assert_equal [1], @called
        errors = @errors.map { |error| error.drop(1) }
        assert_equal [["no such host", :after_in_mold], ["too deep", :after_in_mold]], errors
      end

      test "hooks that belong to no fork call nothing" do
        @callbacks.add(before: -> { @called << 1 })
        @callbacks.call(:before_worker_exit, self)

        assert_empty @called
      end

      test "what cannot be called without arguments is refused" do
        ["text", ->(_server) {}, ->(key:) { key }, 1.method(:+)].each do |callback|
          error = assert_raises(ArgumentError) { @callbacks.add(after_in_worker: callback) }

          assert_match(/after_in_worker/, error.message)
        end
      end

      test "a block may ignore that it gets nothing" do
        @callbacks.add(before: proc { |server| @called << server })
        @callbacks.call(:before_fork, self)

        assert_equal [nil], @called
      end
    end
  end
end
