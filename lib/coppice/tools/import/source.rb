# frozen_string_literal: true

require "set"

module Coppice
  module Import
    # The text of a configuration file with its syntax tree. The tree is that of RubyVM::AbstractSyntaxTree, whose nodes
    # know where they end; Ripper's do not. Rubies that compile by Prism have it as well, and it takes the same files
    # there (seen with 3.4.5 and 4.0.5, 2026-11-29).
    class Source
      # One node, with its first byte, the byte after its last one, and its line.
      Node = Struct.new(:type, :children, :from, :to, :line) do
        # The children that are nodes.
        #: () -> Array[Node]
        def nodes = children.grep(Node)

        # The statements of this node.
        #: () -> Array[Node]
        def statements = type == :BLOCK ? nodes : [self]

        # The statements, branches and operands that run one after another, or one of which runs.
        #: () -> Array[Node]
        def steps
          case type
          when :SCOPE, :BLOCK, :BEGIN then nodes
          when :IF, :UNLESS, :WHEN, :IN then nodes.drop(1)
          when :CASE, :CASE2, :CASE3, :AND, :OR then nodes.last(1)
          else []
          end
        end

        # Yields this node and all nodes below it.
        #: () ?{ (Node) -> void } -> Enumerator[Node, void]
        def walk(&block)
          return enum_for(:walk) unless block

          yield self
          nodes.each { |node| node.walk(&block) }
        end

        # The texts that stand in this node and below.
        #: () -> Array[String]
        def texts = walk.select { |node| node.type == :STR }.map { |node| node.children.first }
      end

      # Comments that Ruby reads.
      MAGIC = /\A#(?:!|.*\b(?:frozen_string_literal|(?:en)?coding|warn_indent)\s*:)/.freeze
      # How the comments begin that ask for a change by hand. Other comments of the user may begin with TODO as well.
      TODO = "# TODO: [coppice] "
      READS = %i[LVAR DVAR].freeze
      ASSIGNMENTS = %i[LASGN DASGN DASGN_CURR].freeze
      CALLS = %i[CALL QCALL ATTRASGN].freeze # of a method of an object that is named

      attr_reader :text #: String
      attr_reader :root #: Node

      # Raises SyntaxError. `numbers` are those of the lines, where they are not 1, 2, 3 and so on.
      #: (String, ?Array[Integer]?) -> void
      def initialize(text, numbers = nil)
        @text = text
        @bytes = text.b
        @starts = [0]
        @bytes.scan("\n") { @starts << Regexp.last_match.end(0) }
        @numbers = numbers || [*1..@starts.size]
        @root = convert(Source.tree(text))
      end

      # Whether a text is Ruby.
      #: (String) -> bool
      def self.valid?(text)
        tree(text)
        true
      rescue SyntaxError
        false
      end

      # What Ruby says about a text that is not Ruby, with its line: the parser of the tree names none. nil if Ruby
      # itself, whose parser may be another one, has nothing to say.
      #: (String, String) -> SyntaxError?
      def self.problem(text, file)
        RubyVM::InstructionSequence.compile(text, file)
        nil
      rescue SyntaxError => error
        error
      rescue ArgumentError # see tree
        nil
      end

      # Without Ruby's warnings: they are for the author of the text, and name no file.
      #: (String) -> RubyVM::AbstractSyntaxTree::Node
      def self.tree(text)
        verbose, $VERBOSE = $VERBOSE, nil
        RubyVM::AbstractSyntaxTree.parse(text)
      rescue ArgumentError => error # a magic comment with an encoding that Ruby does not know
        raise SyntaxError, error.message
      ensure
        $VERBOSE = verbose
      end

      # The statements of the main part.
      #: () -> Array[Node]
      def statements = root.nodes.last&.statements || []

      # The one of them that a node is in, or is.
      #: (Node) -> Node
      def statement_of(node)
        _, body, statement = path(node)
        body.type == :BLOCK ? statement : body
      end

      # The names of the methods that the file defines.
      #: () -> Array[Symbol]
      def methods
        @methods ||= root.walk.select { |node| %i[DEFN DEFS].include?(node.type) }
                         .map { |node| node.children.grep(Symbol).first }
      end

      # The calls of a method with this name and without a receiver.
      #: (Symbol) -> Array[Node]
      def calls(name)
        @calls ||= root.walk.select { |node| node.type == :FCALL }.group_by { |node| node.children.first }
        @calls.fetch(name, [])
      end

      # The text of a node, or of a range of bytes.
      #: (Node | Range[Integer]) -> String
      def of(place)
        range = place.is_a?(Node) ? place.from...place.to : place
        @bytes[range].force_encoding(text.encoding)
      end

      # The nodes from the root to a node, which is the last one.
      #: (Node) -> Array[Node]
      def path(node)
        path = [node]
        path.unshift(parents[path.first]) while parents.key?(path.first)
        path
      end

      # The name of a statement in the report.
      #: (Node) -> String
      def first_line(node) = of(node).lines.first.strip

      # The byte with which the line of another byte begins, and that after it.
      #: (Integer) -> Integer
      def line_start(byte) = (@bytes.rindex("\n", byte - 1) if byte.positive?)&.succ || 0

      #: (Integer) -> Integer
      def line_end(byte) = @bytes.index("\n", byte)&.succ || @bytes.bytesize

      # The text, or a part of it, with some ranges of bytes replaced. A range without bytes comes before another one
      # that begins with the same byte.
      #: (Array[[Integer, Integer, String]], ?Range[Integer]) -> String
      def edited(edits, range = 0...@bytes.bytesize)
        result = @bytes[range]
        edits.sort_by { |from, to, _| [from, to] }.reverse_each do |from, to, replacement|
          result[(from - range.begin)...(to - range.begin)] = replacement.b
        end
        result.force_encoding(text.encoding)
      end

      # The same after some edits. Lines keep their numbers.
      #: (Array[[Integer, Integer, String]]) -> Source
      def with(edits)
        gone = edits.flat_map { |edit| lines_lost(*edit) }.to_set
        Source.new(edited(edits), @numbers.reject.with_index { |_, index| gone.include?(index) })
      end

      # The spaces with which the line of a node begins.
      #: (Node) -> String
      def margin(node) = of(line_start(node.from)...node.from)[/\A[ \t]*/]

      # A comment in front of a node: what has to be changed by hand.
      #: (String, Node) -> String
      def todo(text, node) = "#{TODO}#{text}\n#{margin(node)}"

      # The edit that removes a node: with its lines and the comment above them where it has lines of its own.
      #: (Node) -> [Integer, Integer, String]
      def removal(node)
        return [node.from, node.to, "nil"] unless own_lines?(node)

        [comment_above(line_start(node.from)), line_end(node.to), ""]
      end

      # The edit that removes the comment above the line which a node begins.
      #: (Node) -> [Integer, Integer, String]
      def removal_of_comment(node)
        start = line_start(node.from)
        [of(start...node.from).strip.empty? ? comment_above(start) : start, start, ""]
      end

      # Whether nothing but a comment is beside a node.
      #: (Node) -> bool
      def own_lines?(node)
        of(line_start(node.from)...node.from).strip.empty? &&
          of(node.to...line_end(node.to)).match?(/\A[ \t;]*(?:#.*)?\n?\z/)
      end

      private

      def parents
        @parents ||= root.walk.with_object({}.compare_by_identity) do |node, parents|
          node.nodes.each { |child| parents[child] = node }
        end
      end

      # The indices of the lines that an edit makes fewer.
      def lines_lost(from, to, text)
        index = (@starts.bsearch_index { |start| start > from } || @starts.size) - 1
        index += 1 unless @starts[index] == from
        [*index...(index + @bytes[from...to].count("\n") - text.count("\n"))]
      end

      def convert(node)
        children = node.children.map { |child| child.is_a?(RubyVM::AbstractSyntaxTree::Node) ? convert(child) : child }
        from = byte(node.first_lineno, node.first_column)
        Node.new(node.type, children, from, byte(node.last_lineno, node.last_column),
          @numbers.fetch(node.first_lineno - 1))
      end

      # The byte where the comment begins that ends above this one; the same byte without a comment.
      def comment_above(byte)
        while byte.positive?
          start = line_start(byte - 1)
          line = of(start...byte).strip
          break if !line.start_with?("#") || line.match?(MAGIC)

          byte = start
        end
        byte
      end

      def byte(line, column) = @starts.fetch(line - 1, @bytes.bytesize) + column
    end
  end
end
