# frozen_string_literal: true

require "coppice/tools/import/call"
require "coppice/tools/import/entry"
require "coppice/tools/import/indentation"

module Coppice
  module Import
    # The conditions of a file that ask its server for a directive, which older versions lack, as in
    # `quiet if respond_to?(:quiet)`. Coppice has other names, so they would never be true here. They count as true: a
    # condition that is nothing else is left out, with the branch for older versions.
    class Guards
      # Nodes in which self is another object than the file's.
      OTHERS = %i[CLASS MODULE SCLASS].freeze
      private_constant :OTHERS

      attr_reader :entries #: Array[Entry] -- for the branches that are left out

      #: (Module) -> void
      def initialize(server)
        @server = server
        @entries = []
      end

      # The source without them.
      #: (Source) -> Source
      def without(source)
        @source = source
        edits = removals(source.root)
        return without(source.with(edits)) unless edits.empty?

        source.with(nodes(source.root).select { |node| guard?(node) }.map { |node| [node.from, node.to, "true"] })
      end

      private

      def nodes(node) = OTHERS.include?(node.type) ? [] : [node, *node.nodes.flat_map { |child| nodes(child) }]

      # The edits for all of them but those within others, which are left out next.
      def removals(node)
        return [] if OTHERS.include?(node.type)

        removal(node) || of_condition(node) || node.nodes.flat_map { |child| removals(child) }
      end

      # Those within a condition come before its branches, which may have to go as they are.
      def of_condition(node)
        return unless %i[IF UNLESS].include?(node.type)

        edits = removals(node.nodes.first)
        edits unless edits.empty?
      end

      # Whether a node is such a condition alone, maybe in parentheses.
      def guard?(node) = !directive(node).nil?

      # The directive that a node asks for.
      def directive(node)
        node = node.nodes.first if node.type == :BLOCK && node.nodes.size == 1
        call = Call.of(node, @source)
        name = call.value.to_s.to_sym if call&.name == :respond_to?
        name if @server::DIRECTIVES.key?(name)
      end

      # The edits that leave a condition out; nil where there is none, or where `true` has to stand for it.
      def removal(node)
        case node.type
        when :AND then operand(node.nodes)
        when :IF, :UNLESS then branch(node) if guard?(node.nodes.first)
        end
      end

      def operand(nodes)
        index = nodes.index { |node| guard?(node) } or return
        operator = closer_operator(nodes, index) or return
        one = nodes[index]
        [[[one.from, operator.begin].min, [one.to, operator.end].max, ""]]
      end

      # The bytes of the operator beside it that goes with it, `&&` rather than `and`: what `and` joins, such as a call
      # without parentheses, may be no operand of `&&`.
      def closer_operator(nodes, index)
        beside = nodes[[index - 1, 0].max..(index + 1)].each_cons(2).map { |one, other| one.to...other.from }
        %w[&& and].filter_map { |name| beside.reverse.find { |bytes| @source.of(bytes).strip == name } }.first
      end

      def branch(node)
        branches = node.children.drop(1).map { |child| child unless empty?(child) }
        kept, gone = node.type == :IF ? branches : branches.reverse
        edits = kept ? unwrapped(node, kept) : [@source.removal(node)]
        report(gone, directive(node.nodes.first)) if gone && edits
        edits
      end

      def empty?(branch) = branch.nil? || (branch.type == :BEGIN && branch.nodes.empty?)

      def report(branch, name)
        branch.statements.each do |statement|
          next if empty?(statement)

          @entries << Entry.new(line: statement.line, name: @source.first_line(statement), outcome: :dropped,
            note: "for versions of #{@server::TITLE} without #{name}")
        end
      end

      def unwrapped(node, kept)
        return lines_of(node, kept) if @source.of(node).match?(/\A(?:if|unless)\b/)

        [[kept.to, node.to, ""]] if kept.from == node.from && kept.type != :BLOCK && kept.to < node.nodes.first.from
      end

      # The lines of a branch, with the margin of its condition, where it has lines of its own.
      def lines_of(node, kept)
        from, to = lines_around(node, kept)
        return unless from && @source.own_lines?(node) && from <= kept.from && kept.to <= to

        lines = Indentation.set(@source.of(from...to), @source.margin(node))
        [[@source.line_start(node.from), from, ""], [from, to, lines], [to, @source.line_end(node.to), ""]]
      end

      # The bytes between which the lines of a branch are.
      def lines_around(node, kept)
        condition, first, second = node.children
        last = @source.line_start(node.to - "end".size)
        return [@source.line_end(condition.to), last] unless second

        line = else_line(first, second) or return
        kept.equal?(first) ? [@source.line_end(condition.to), line] : [@source.line_end(line), last]
      end

      def else_line(first, second)
        return @source.line_start(second.from) if @source.of(second).start_with?("elsif")

        index = @source.of(first.to...second.from).b.rindex(/^[ \t]*else\b/)
        first.to + index if index
      end
    end
  end
end
