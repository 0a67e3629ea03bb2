# frozen_string_literal: true

module Coppice
  module Import
    # Tells whether one of some calls is made whatever the conditions around them are.
    class Certainty
      #: (Array[Source::Node]) -> void
      def initialize(calls)
        @calls = calls
      end

      # A loop or a block is not certain to run.
      #: (Source::Node?) -> bool
      def of?(node)
        return false unless node
        return true if @calls.any? { |call| call.equal?(node) }

        case node.type
        when :SCOPE, :BLOCK, :BEGIN then node.nodes.any? { |child| of?(child) }
        when :IF, :UNLESS then node.children.drop(1).all? { |branch| of?(branch) }
        when :CASE, :CASE2, :CASE3 then of?(node.nodes.last)
        when :WHEN, :IN then node.children.drop(1).all? { |branch| of?(branch) }
        when :RESCUE then node.children.first(2).all? { |branch| of?(branch) }
        when :RESBODY then node.children.last(2).compact.all? { |branch| of?(branch) }
        else false
        end
      end
    end
  end
end
