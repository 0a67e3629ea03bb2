# frozen_string_literal: true

require "coppice/tools/import/indentation"
require "coppice/tools/import/source"

module Coppice
  module Import
    # The block of a hook: its parameters and its text, without statements that have lost their purpose.
    class HookBody
      HEAD = /\A\s*(?<opening>do\b|\{)(?:\s*\|(?<parameters>[^|]*)\|)?/.freeze
      # What a statement looks like that has lost its purpose => what it did.
      OBSOLETE = {
        /\.oldbin\b/ => "stopped an old master",
        /\A(?:Kernel\.)?sleep\b/ => "waited",
        /\bPumaWorkerKiller\b|["']puma_worker_killer["']/ =>
          "replaced large workers (see worker_memory_limit and worker_max_age)",
        /\A(?:Signal\.|Kernel\.)?trap[ (]\s*["':](?:SIG)?TERM\b/ => "trapped TERM (the server stops gracefully)"
      }.freeze
      # Nodes of loops, and of blocks and methods, whose `next` is their own.
      OWNERS_OF_NEXT = %i[WHILE UNTIL SCOPE].freeze
      private_constant :OBSOLETE, :OWNERS_OF_NEXT

      # What a statement did that has lost its purpose; nil for others.
      #: (String) -> String?
      def self.lost_purpose(text) = OBSOLETE.find { |pattern, _| pattern.match?(text) }&.last

      # A call with a block.
      #: (Call) -> void
      def initialize(call)
        @block = call.block
        @source = call.source
        @statements = @block.children.last&.statements || [] # nil for an empty block
        @reasons = []
        @gone = obsolete
        @text = @source.edited(@gone.map { |node| @source.removal(node) }, @block.from...@block.to)
        @head = @text.match(HEAD)
      end

      # Whether nothing is left of what it did.
      #: () -> bool
      def empty? = !@gone.empty? && statements.empty?

      # What the statements did that are gone, for the report; nil when all are left.
      #: () -> String?
      def loss
        return if @gone.empty?

        "#{empty? ? "it only" : "without the statements that"} #{@reasons.uniq.join(' and ')}"
      end

      # The statements that are left.
      #: () -> Array[Source::Node]
      def statements = @statements - @gone

      # The names of the block's parameters, without defaults and block-local variables.
      #: () -> Array[String]
      def parameters
        list = @head[:parameters].to_s[/\A[^;]*/]
        list.split(",").map { |text| text[/\A\s*(\*?\w+)/, 1] || text.strip }
      end

      # Whether the block has parameters without names: _1 or it.
      #: () -> bool
      def implicit_parameters? = @head[:parameters].nil? && @block.nodes.any? { |node| node.type == :ARGS }

      # Whether the variable of a parameter is read in what is left.
      #: (String) -> bool
      def reads?(name)
        name = name.delete_prefix("*")
        statements.any? do |statement|
          statement.walk.any? { |node| Source::READS.include?(node.type) && node.children.first.to_s == name }
        end
      end

      # Whether `next` may end the block itself, and not a loop or a block within.
      def next? = statements.any? { |statement| next_in?(statement) } #: () -> bool

      # The block's text with other parameters.
      #: (Array[String]) -> String
      def with_parameters(names)
        "#{@head[:opening]}#{" |#{names.join(', ')}|" unless names.empty?}#{@head.post_match}"
      end

      # The statements, without the spaces in front of all of them.
      def code #: () -> String
        Indentation.set(@head.post_match.sub(/\s*(?:end|\})\z/, "").sub(/\A[ \t]*\n/, ""), "").strip
      end

      private

      # With what reads a variable that such a statement has set.
      def obsolete
        names = []
        @statements.select do |statement|
          reason = HookBody.lost_purpose(@source.of(statement))
          gone = reason || statement.walk.any? { |node| reads_one?(node, names) }
          names += assigned(statement) if gone
          @reasons += [*reason]
          gone
        end
      end

      def next_in?(node)
        node.type == :NEXT || (!OWNERS_OF_NEXT.include?(node.type) && node.nodes.any? { |child| next_in?(child) })
      end

      def reads_one?(node, names) = Source::READS.include?(node.type) && names.include?(node.children.first)

      def assigned(statement)
        statement.walk.select { |node| Source::ASSIGNMENTS.include?(node.type) }.map { |node| node.children.first }
      end
    end
  end
end
