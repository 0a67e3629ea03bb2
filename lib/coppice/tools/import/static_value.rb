# frozen_string_literal: true

module Coppice
  module Import
    # Values that a syntax tree tells without being run. A variable of the environment counts as unset.
    class StaticValue
      #: (Hash[Symbol, Source::Node]) -> void
      def initialize(assignments)
        @assignments = assignments
      end

      # nil where it depends on more.
      #: (Source::Node?) -> (Numeric | String | Symbol | bool | nil)
      def of(node)
        case node&.type
        when :LIT, :INTEGER, :FLOAT, :STR, :SYM then node.children.first
        when :TRUE then true
        when :FALSE then false
        when :LVAR then of(@assignments[node.children.first])
        when :OR then node.nodes.map { |side| of(side) }.compact.first
        when :FCALL then number(of_list(node.nodes.last)) if node.children.first == :Integer
        when :CALL then of_call(node)
        when :ITER then of(node.nodes.last.nodes.last) if fetch?(node.nodes.first)
        end
      end

      private

      def of_call(node)
        return number(of(node.nodes.first)) if %i[to_i to_s].include?(node.children[1])

        of(node.nodes.last.nodes[1]) if fetch?(node)
      end

      def fetch?(node)
        node.type == :CALL && node.children[1] == :fetch && node.nodes.first.children == [:ENV]
      end

      def of_list(list) = of(list.type == :LIST ? list.nodes.first : list)

      def number(value) = value.is_a?(Integer) ? value : Integer(value.to_s, 10, exception: false)
    end
  end
end
