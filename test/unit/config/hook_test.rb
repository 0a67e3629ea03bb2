# frozen_string_literal: true

require "test_helper"
require "coppice/config/hooks"

module Coppice
  module Config
    class HookTest < TestCase
      HOOK = Hook.new(name: :after_work, arguments: %i[server worker], process: :worker,
        since: :coppice, doc: "").freeze

      test "a block with all arguments gets all" do
        assert_equal [1, 2], called(proc { |server, worker| [server, worker] })
        assert_equal [1, 2], called(->(server, worker) { [server, worker] })
      end

      test "a block may take fewer" do
        assert_equal 1, called(proc { |server| server })
        assert_equal 1, called(->(server) { server })
        assert_equal :nothing, called(-> { :nothing })
        assert_equal [1, 2], called(proc { [_1, _2] })
      end

      test "a block may take the rest, or have optional arguments" do
        assert_equal [1, 2], called(->(*all) { all })
        assert_equal [1, 2], called(->(server, *rest) { [server, *rest] })
        assert_equal [1, 2, 3], called(->(server, worker, more = 3) { [server, worker, more] })
        assert_equal [1, 9], called(->(server, worker: 9) { [server, worker] })
      end

      test "a method is accepted" do
        assert_equal [1, 2], called([].method(:push))
      end

      test "a block that asks for more is refused" do
        error = assert_raises(InvalidValue) { HOOK.check(proc { |server, worker, env| [server, worker, env] }) }
        assert_equal "is called with 2 (server, worker), but the block asks for 3: write |server, worker|",
          error.message
        assert_raises(InvalidValue) { HOOK.check(->(one, two, three, *) { [one, two, three] }) }
      end

      test "a block that asks for keywords is refused" do
        assert_raises(InvalidValue) { HOOK.check(->(server, worker:) { [server, worker] }) }
      end

      test "a value that is not a block is refused" do
        assert_raises(InvalidValue) { HOOK.check(5) }
        assert_raises(InvalidValue) { HOOK.check(:puts) }
      end

      test "nil is no block, and no mistake" do
        assert_nil HOOK.check(nil)
      end

      private

      def called(block)
        HOOK.check(block).call(1, 2)
      end
    end
  end
end
