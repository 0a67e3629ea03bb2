# frozen_string_literal: true

require "set"
require "coppice/errors"
require "coppice/import/call"
require "coppice/import/comments"
require "coppice/import/directive"
require "coppice/import/entry"
require "coppice/import/hooks"
require "coppice/import/liveness"
require "coppice/import/source"

module Coppice
  module Import
    # Translates the text of a configuration file. Nothing of the file is run: the calls of directives are replaced in
    # its text, so that conditions, variables of the environment and comments stay as they are.
    class Translator
      attr_reader :entries #: Array[Entry]

      # Raises ConfigError for a file that is not Ruby.
      #: (String, Module, file: String) -> void
      def initialize(text, server, file:)
        @source = Source.new(text)
        @server = server
        @file = file
        @entries = []
      rescue SyntaxError => error
        raise ConfigError.new(error.message.strip, file: file)
      end

      # The text for Coppice. Raises Error when a directive is written in a way that cannot be replaced.
      def text #: () -> String
        decide
        edits = []
        @liveness = Liveness.new(@source.root, @dropped)
        collect(@source.root, edits)
        text = finished(@source.edited(edits))
        raise Error, "#{@file} cannot be translated: write its directives one to a line" unless Source.valid?(text)

        text
      end

      # The calls of directives in the file, each with its row of the table.
      def directives #: () -> Array[[Call, Directive]]
        @directives ||= find(@source.root).map { |call| [call, @server::DIRECTIVES.fetch(call.name)] }
      end

      # Whether a directive stands in the main part of the file, without a condition.
      #: (Symbol) -> bool
      def unconditional?(name)
        directives.any? { |call, _| call.name == name && statements.any? { |node| node.equal?(call.node) } }
      end

      # The value of an argument of a directive, where the text tells it and there is one such directive.
      #: (Symbol, ?Integer) -> untyped
      def value_of(name, index = 0)
        calls = directives.map(&:first).select { |call| call.name == name }
        calls.first.value(index) if calls.size == 1
      end

      private

      def decide
        @dropped = Set.new.compare_by_identity
        @replaced = {}.compare_by_identity
        foreign_statements.each { |node| @dropped << node }
        hooks, plain = directives.partition { |_, row| row.hook }
        plain.each { |call, row| settle(call, row, row.rewrite ? row.rewrite.call(call) : call.as(row.target)) }
        texts = Hooks.new(hooks, @source).texts
        hooks.each { |call, row| settle(call, row, texts.fetch(call)) }
        @entries.sort_by!(&:line)
      end

      def settle(call, row, text)
        text ? @replaced[call.node] = text : @dropped << call.node
        kept = text || call.joined
        outcome = kept ? row.outcome : :dropped
        outcome = :changed if kept && (call.note || outcome == :dropped)
        @entries << Entry.new(line: call.line, name: call.name, outcome: outcome, note: call.note || row.note,
          target: (row.target if kept))
      end

      # Statements of the main part that only the other server understands. What a hook does is left to its user.
      def foreign_statements
        found = statements.select { |node| @server::FOREIGN.match?(@source.of(node)) && find(node).empty? }
        found.each do |node|
          @entries << Entry.new(line: node.line, name: @source.of(node).lines.first.strip, outcome: :dropped,
            note: "it is for #{@server::TITLE} alone")
        end
      end

      def statements = @source.root.nodes.last&.statements || []

      def find(node)
        call = Call.of(node, @source, assignments: assignments) if %i[ITER FCALL VCALL].include?(node.type)
        return node.nodes.flat_map { |child| find(child) } unless call && known?(call)

        [call]
      end

      # A name without arguments may as well be a method of the file.
      def known?(call)
        row = @server::DIRECTIVES[call.name] or return false
        return false if methods_of_file.include?(call.name)

        return true if call.block || call.passed || !call.arguments.empty?

        row.hook.nil? && @server::BARE.include?(call.name)
      end

      def assignments
        @assignments ||= @source.root.walk.select { |node| Source::ASSIGNMENTS.include?(node.type) }
                                .to_h { |node| [node.children.first, node.nodes.first] }
      end

      def methods_of_file
        @methods_of_file ||= @source.root.walk.select { |node| node.type == :DEFN }.map { |node| node.children.first }
      end

      def collect(node, edits)
        if @liveness.dead?(node) then edits << @source.removal(node)
        elsif @replaced.key?(node) then edits << [node.from, node.to, @replaced[node]]
        elsif wrapper?(node) then unwrap(node, edits)
        elsif half_dead?(node) then collect_live_branch(node, edits)
        else node.nodes.each { |child| collect(child, edits) }
        end
      end

      # A block that the other server calls at once.
      def wrapper?(node)
        node.type == :ITER && @server::WRAPPERS.include?(Call.of(node, @source)&.name)
      end

      def unwrap(node, edits)
        body = node.nodes.last.children.last or return
        edits << [node.from, body.from, ""] << [body.to, node.to, ""]
        collect(body, edits)
      end

      # if … else … end, one branch of which has nothing left to do.
      def half_dead?(node)
        _, first, second = node.nodes
        %i[IF UNLESS].include?(node.type) && second && @source.of(node).match?(/\A(?:if|unless)\b/) &&
          second.type != :IF && [first, second].count { |branch| @liveness.dead?(branch) } == 1
      end

      def collect_live_branch(node, edits)
        condition, first, second = node.nodes
        if @liveness.dead?(second)
          edits << [first.to, second.to, ""]
          return collect(first, edits)
        end
        word = node.type.to_s.downcase
        edits << [node.from, node.from + word.size, word == "if" ? "unless" : "if"]
        edits << [condition.to, second.from, "\n#{" " * (second.from - @source.line_start(second.from))}"]
        collect(second, edits)
      end

      # Without the blank lines that removed lines leave behind.
      def finished(text)
        Comments.new(text, @server).without_commented_directives
                .gsub(/\n{3,}/, "\n\n").gsub(/\n{2,}(?=[ \t]*(?:end|else|elsif)\b)/, "\n").strip
      end
    end
  end
end
