# frozen_string_literal: true

module Coppice
  module Import
    # Tells which statements of a file have nothing left to do once some of their directives are dropped: conditions and
    # loops around them, and assignments that only they read.
    class Liveness
      METHODS = %i[DEFN DEFS CLASS MODULE SCLASS].freeze
      private_constant :METHODS

      #: (Source::Node, Set[Source::Node]) -> void
      def initialize(root, dropped)
        @root = root
        @dropped = dropped
        @orphans = {}
        find_orphans
      end

      #: (Source::Node?) -> bool
      def dead?(node)
        return false unless node
        return true if @dropped.include?(node)

        case node.type
        when :BLOCK, :BEGIN, :SCOPE then all_dead?(node.nodes)
        when :IF, :UNLESS then all_dead?(node.nodes.drop(1))
        when :AND, :OR then dead?(node.nodes.last)
        when :ITER then dead?(node.nodes.last.nodes.last)
        when *Source::ASSIGNMENTS then @orphans.key?(node.children.first)
        else false
        end
      end

      # Whether what is left reads a variable that a node sets.
      #: (Source::Node) -> bool
      def needs?(node) = assigned(node).any? { |name| left.key?(name) }

      private

      # The variables that what is left reads.
      def left = @left ||= reads(@root, live: true)

      # Without the variables of methods, which are their own.
      def assigned(node)
        return [] if METHODS.include?(node.type)

        own = Source::ASSIGNMENTS.include?(node.type) ? [node.children.first] : []
        own + node.nodes.flat_map { |child| assigned(child) }
      end

      def all_dead?(nodes)
        nodes = nodes.reject { |node| node.type == :ARGS || (node.type == :BEGIN && node.nodes.empty?) }
        !nodes.empty? && nodes.all? { |node| dead?(node) }
      end

      # An assignment without a reader may make another one readerless.
      def find_orphans
        read_before = reads(@root)
        loop do
          found = read_before.keys - reads(@root, live: true).keys - @orphans.keys
          break if found.empty?

          found.each { |name| @orphans[name] = true }
        end
      end

      def reads(node, live: false, found: {})
        return found if live && dead?(node)

        found[node.children.first] = true if Source::READS.include?(node.type)
        node.nodes.each { |child| reads(child, live: live, found: found) }
        found
      end
    end
  end
end
