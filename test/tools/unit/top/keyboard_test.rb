# frozen_string_literal: true

require "test_helper"
require "coppice/tools/top/keyboard"

module Coppice
  module Top
    class KeyboardTest < TestCase
      # A line on which bytes arrive one after the other.
      Slow = Struct.new(:pieces) do
        def read_nonblock(*, **) = pieces.shift || :wait_readable
        def wait_readable(_seconds) = !pieces.empty?
      end

      def setup
        @input, @fingers = IO.pipe
      end

      def teardown = [@input, @fingers].each(&:close)

      test "characters, and names for the keys that send a sequence" do
        assert_equal ["q", :up, :up, :page_down, "j", :enter, :interrupt, :home, :end],
          keys("q\e[A\eOA\e[6~j\r\x03\e[1~\e[F")
      end

      test "Escape alone is a key" do
        assert_equal [:escape], keys("\e")
      end

      test "a sequence that comes in pieces is one key" do
        assert_equal [:page_up, "j"], Keyboard.new(Slow.new(["\e", "[", "5~j"])).keys
      end

      test "a key beyond ASCII is no key that means something" do
        assert_empty keys("é\xFF") & ["q", "y"]
      end

      test "nothing pressed is no key, and a terminal that is gone is no list" do
        assert_empty Keyboard.new(@input).keys
        @fingers.close
        assert_nil Keyboard.new(@input).keys
      end

      private

      def keys(bytes)
        @fingers.write(bytes)
        Keyboard.new(@input).keys
      end
    end
  end
end
