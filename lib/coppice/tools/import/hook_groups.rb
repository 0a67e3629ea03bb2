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
        to_a.select { |group| rival?(path(group)) }.flatten
      end

      private

      def list_of(call)
        node, list = @paths[call].last(2).reverse
        list.type == :BLOCK ? list : node
      end

      def path(group) = @paths[group.first]

      # Whether another group is elsewhere than in another branch of one condition: its path leaves this one at a node
      # without branches.
      def rival?(path)
        path.each_cons(2).any? do |node, child|
          !BRANCHES.include?(node.type) && groups_below[node] > groups_below[child]
        end
      end

      # How many groups each node has below it. Not in pairs: a `case` may have hundreds, each inside the one before.
      def groups_below
        @groups_below ||= to_a.flat_map { |group| path(group) }
                              .each_with_object(Hash.new(0).compare_by_identity) { |node, counts| counts[node] += 1 }
      end
    end
  end
end
