# frozen_string_literal: true

require "set"
require "coppice/config/syntax_problem"
require "coppice/errors"
require "coppice/tools/import/blank_lines"
require "coppice/tools/import/call"
require "coppice/tools/import/certainty"
require "coppice/tools/import/comments"
require "coppice/tools/import/edits"
require "coppice/tools/import/entry"
require "coppice/tools/import/guards"
require "coppice/tools/import/hook_body"
require "coppice/tools/import/hooks"
require "coppice/tools/import/leftovers"
require "coppice/tools/import/liveness"
require "coppice/tools/import/source"

module Coppice
  module Import
    # Translates the text of a configuration file. Nothing of the file is run: the calls of directives are replaced in
    # its text, so that conditions, variables of the environment and comments stay as they are.
    class Translator
      attr_reader :entries #: Array[Entry]

      # Raises ConfigError for a file that is not Ruby.
      #: (String, Module, file: String) -> void
      def initialize(text, server, file:)
        @server = server
        @file = file
        guards = Guards.new(server)
        @source = guards.without(Source.new(text))
        @entries = guards.entries
      rescue SyntaxError => error
        raise Config::SyntaxProblem.error(Source.problem(text, file) || error, file: file)
      end

      # The text for Coppice. Raises Error when a directive is written in a way that cannot be replaced.
      def text #: () -> String
        decide
        liveness = Liveness.new(@source.root, @dropped)
        leftovers = Leftovers.new(@source, @server, liveness, hook_nodes)
        @entries = (@entries + leftovers.entries).sort_by.with_index { |entry, index| [entry.line, index] }
        edits = Edits.new(@source, @server, @replaced, liveness, @tasks).to_a + leftovers.comments
        text = finished(@source.edited(edits))
        raise Error, "#{@file} cannot be translated: write its directives one to a line" unless Source.valid?(text)

        text
      end

      # The calls of directives in the file, each with its row of the table.
      def directives #: () -> Array[[Call, Directive]]
        @directives ||= find(@source.root).map { |call| [call, @server::DIRECTIVES.fetch(call.name)] }
      end

      # The calls of some directives.
      #: (*Symbol) -> Array[Call]
      def called(*names) = directives.map(&:first).select { |call| names.include?(call.name) }

      # Calls that are left in the text.
      #: (*Symbol) -> Array[Call]
      def kept(*names) = called(*names).select { |call| @replaced.key?(call.node) }

      # What has become of them.
      #: (*Symbol) -> Array[String]
      def texts_of(*names) = kept(*names).map { |call| @replaced.fetch(call.node) }

      # Whether one of some directives is left and called whatever the conditions around them are.
      #: (*Symbol) -> bool
      def certain?(*names) = Certainty.new(kept(*names).map(&:node)).of?(@source.root)

      private

      def decide
        @dropped = Set.new.compare_by_identity
        @replaced = {}.compare_by_identity
        @tasks = {}.compare_by_identity
        (directives - hooks).each do |call, row|
          settle(call, row, row.rewrite ? row.rewrite.call(call) : call.as(row.target))
        end
        texts = Hooks.new(hooks, @source, @server).texts
        hooks.each { |call, row| settle(call, row, texts.fetch(call)) }
        drop_foreign
      end

      def hooks = @hooks ||= directives.select { |_, row| row.hook }
      def hook_nodes = @hook_nodes ||= Set.new.compare_by_identity.merge(hooks.map { |call, _| call.node })

      def settle(call, row, text)
        text ? @replaced[call.node] = text : @dropped << call.node
        @tasks[call.node] = call.task if call.task
        kept = text || call.joined
        outcome = kept ? row.outcome : :dropped
        outcome = :changed if kept && (call.note || outcome == :dropped)
        outcome = :by_hand if call.todo || call.task
        @entries << Entry.new(line: call.line, name: call.name, outcome: outcome,
          note: note_on(call, row), target: (row.target if kept))
      end

      def note_on(call, row) = [call.note || row.note, call.advice].compact.reduce { |note, more| "#{note}; #{more}" }

      # What only the other server understands. What a hook does is left to its user.
      def drop_foreign
        found, read = foreign_statements, nil
        found -= read until (read = still_read(found)).empty?
        found.each do |node|
          @dropped << node
          @entries << Entry.new(line: node.line, name: @source.first_line(node), outcome: :dropped,
            note: reason_to_drop(node))
        end
      end

      def reason_to_drop(node)
        purpose = HookBody.lost_purpose(@source.of(node))
        purpose ? "it only #{purpose}" : "it is for #{@server::TITLE} alone"
      end

      # Statements of the main part, and within others the lines that require files of the other server.
      def foreign_statements
        whole, others = @source.statements.partition do |node|
          find(node).empty? && !@server::FOREIGN.names(node.walk).empty?
        end
        whole + others.flat_map { |node| requires(node) }
      end

      def requires(node)
        return [] if hook_nodes.include?(node)

        @server::FOREIGN.feature(node) ? [node] : node.nodes.flat_map { |child| requires(child) }
      end

      # Nodes that set a variable for what is left.
      def still_read(nodes)
        liveness = Liveness.new(@source.root, @dropped | nodes)
        nodes.select { |node| liveness.needs?(node) }
      end

      def find(node)
        call = Call.of(node, @source, assignments: assignments) if %i[ITER FCALL VCALL].include?(node.type)
        return node.nodes.flat_map { |child| find(child) } unless call && known?(call)

        [call]
      end

      # A name without arguments may as well be a method of the file.
      def known?(call)
        row = @server::DIRECTIVES[call.name] or return false
        return false if @source.methods.include?(call.name)

        return true if call.block || call.passed || !call.arguments.empty?

        row.hook.nil? && @server::BARE.include?(call.name)
      end

      # Of variables that are set once: what another one holds is known only when the file is read.
      def assignments
        @assignments ||= @source.root.walk.select { |node| Source::ASSIGNMENTS.include?(node.type) }
                                .group_by { |node| node.children.first }.select { |_, nodes| nodes.size == 1 }
                                .transform_values { |nodes| nodes.first.nodes.first }
      end

      def finished(text)
        BlankLines.tidied(Comments.new(text, @server).without_commented_directives).strip
      end
    end
  end
end
