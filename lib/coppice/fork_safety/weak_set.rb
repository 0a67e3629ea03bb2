# frozen_string_literal: true

module Coppice
  module ForkSafety
    # Objects that may be garbage collected all the same.
    #
    # Each is its own value in a WeakMap. Before Ruby 3.3, `WeakMap#keys` looks only at the values: with `true` as the
    # value it returns keys that are dead, and the first call of one of their methods ends the process. No value is
    # replaced: before Ruby 3.2.3 the end of the first one would end the pair (bugs.ruby-lang.org/issues/19531).
    class WeakSet
      def initialize
        @map = ObjectSpace::WeakMap.new
      end

      #: (untyped) -> void
      def add(object)
        @map[object] = object unless include?(object)
      end

      # The very object, not an equal one.
      #: (untyped) -> bool
      def include?(object) = @map.key?(object)

      #: () -> bool
      def empty? = @map.size.zero?

      # The objects that are not garbage.
      #: () -> Array[untyped]
      def to_a = @map.values
    end
  end
end
