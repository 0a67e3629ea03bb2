# frozen_string_literal: true

module Coppice
  module Import
    # Which calls of one hook are in one list of statements. Coppice calls only the last block of a hook, as Unicorn
    # does; Puma calls all of them, so its blocks become one.
    class HookGroups
      # Nodes with branches, one of which runs.
      BRANCHES = %i[IF UNLESS WHEN IN].freeze
      private_constant :BRANCHES

      #: (Array[Call], Source) -> void
      def initialize(calls, source)
        @paths = calls.to_h { |call| [call, source.path(call.node)] }
      end

      # A call without a block of its own is alone.
      #: () -> Array[Array[Call]]
      def to_a
        @to_a ||= @paths.keys.group_by { |call| call.block ? list_of(call).object_id : call.object_id }.values
      end

      # The calls that another group may replace, or that may replace it.
      #: () -> Array[Call]
      def rivals
        to_a.select { |group| to_a.any? { |other| !other.equal?(group) && !exclusive?(group.first, other.first) } }
            .flatten
      end

      private

      def list_of(call)
        node, list = @paths[call].last(2).reverse
        list.type == :BLOCK ? list : node
      end

      # Whether the calls are in two branches of one condition.
      def exclusive?(*calls)
        one, other = calls.map { |call| @paths[call] }
        depth = one.zip(other).index { |a, b| !a.equal?(b) }
        BRANCHES.include?(one[depth - 1].type)
      end
    end
  end
end
