# frozen_string_literal: true

require "coppice/tools/import/static_value"

module Coppice
  module Import
    # One call of a directive in a file, for the rewrites of the tables. A rewrite returns the new text, or nil; it may
    # replace what the report says.
    class Call
      # How an expression begins whose value is an absolute path.
      ABSOLUTE = %r{\A(?:File\.join\(\s*)?(?:["']/|(?:File\.(?:expand_path|realpath|absolute_path)|__dir__|Dir\.pwd)\b)}
                 .freeze
      LITERALS = %i[LIT INTEGER STR SYM TRUE FALSE].freeze
      CONDITIONS = %i[IF UNLESS WHEN IN AND OR].freeze
      private_constant :ABSOLUTE, :CONDITIONS

      attr_reader :node      #: Source::Node -- with its block
      attr_reader :name      #: Symbol
      attr_reader :arguments #: Array[Source::Node]
      attr_reader :block     #: Source::Node? -- of do … end or braces
      attr_reader :passed    #: Source::Node? -- the block that is an argument: &callable
      attr_reader :source    #: Source
      attr_accessor :note    #: String?
      attr_accessor :advice  #: String? -- what the report adds to the note
      attr_accessor :todo    #: bool -- whether something in it has to be changed by hand
      attr_accessor :joined  #: bool -- whether its block has become part of another one
      attr_accessor :task    #: String? -- what is to be done by hand in place of a call that is dropped

      # nil when the node is no call without a receiver.
      #: (Source::Node, Source, ?assignments: Hash[Symbol, Source::Node]) -> Call?
      def self.of(node, source, assignments: {})
        call = node.type == :ITER ? node.nodes.first : node
        new(node, call, source, assignments) if %i[FCALL VCALL].include?(call.type)
      end

      #: (Source::Node, Source::Node, Source, Hash[Symbol, Source::Node]) -> void
      def initialize(node, call, source, assignments)
        @node = node
        @call = call
        @name = call.children.first
        @source = source
        @assignments = assignments
        *nodes, @passed = call.nodes.last.nodes if call.nodes.last&.type == :BLOCK_PASS
        @arguments = (nodes || call.nodes).flat_map { |child| child.type == :LIST ? child.nodes : [child] }
        @block = node.nodes.last if node.type == :ITER
      end

      #: () -> Integer
      def line = node.line

      # The texts of the arguments.
      #: () -> Array[String]
      def texts = arguments.map { |argument| source.of(argument) }

      # The first argument's text.
      #: (?String) -> String
      def text(default = "nil") = texts.first || default

      # The same call under another name, or with other arguments.
      #: (Symbol | String, *String) -> String
      def as(name, *texts)
        return "#{name}#{source.of((@call.from + @name.to_s.bytesize)...node.to)}" if texts.empty?

        parenthesized? ? "#{name}(#{texts.join(', ')})" : "#{name} #{texts.join(', ')}"
      end

      # Whether it is within a condition.
      #: () -> bool
      def conditional? = source.path(node).any? { |one| CONDITIONS.include?(one.type) }

      # Whether the first argument's value is written out.
      #: () -> bool
      def literal? = LITERALS.include?(arguments.first&.type)

      # An argument, or what the variable holds that it is.
      #: (?Integer) -> Source::Node?
      def defined(index = 0)
        node = arguments[index]
        node&.type == :LVAR ? @assignments.fetch(node.children.first, node) : node
      end

      # The text of that.
      #: (?Integer) -> String
      def definition(index = 0) = defined(index) ? source.of(defined(index)) : "nil"

      # Another call in the same file.
      #: (Source::Node) -> Call
      def another(node) = Call.of(node, source, assignments: @assignments)

      # The first argument as an absolute path.
      #: () -> String
      def absolute_path = ABSOLUTE.match?(definition) ? text : "File.expand_path(#{text})"

      # The first argument as a symbol, for Ruby.
      #: () -> String
      def symbol = value.respond_to?(:to_sym) ? value.to_sym.inspect : "(#{text}).to_sym"

      # Drops the call, with a reason of its own.
      #: (String) -> nil
      def drop(reason)
        self.note = reason
        nil
      end

      # An argument's value where the text tells it: a literal, or the default of ENV.fetch.
      #: (?Integer) -> (Integer | String | Symbol | bool | nil)
      def value(index = 0) = (StaticValue.new(@assignments).of(arguments[index]) if arguments[index])

      private

      def parenthesized? = source.of(@call.from...node.to)[@name.to_s.size] == "("
    end
  end
end
