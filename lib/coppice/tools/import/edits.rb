# frozen_string_literal: true

require "set"
require "coppice/tools/import/call"

module Coppice
  module Import
    # The edits that make a translated text of a file: directives are replaced, and what has nothing left to do is
    # removed.
    class Edits
      # tasks: what is to be done by hand in place of calls that are dropped.
      #: (Source, Module, Hash[Source::Node, String], Liveness, Hash[Source::Node, String]) -> void
      def initialize(source, server, replaced, liveness, tasks)
        @source = source
        @server = server
        @replaced = replaced
        @liveness = liveness
        @tasks = tasks
      end

      # For Source#edited.
      def to_a #: () -> Array[[Integer, Integer, String]]
        @edits = []
        @told = Set.new.compare_by_identity
        collect(@source.root)
        @edits + untold
      end

      private

      def collect(node)
        if @liveness.dead?(node) then remove(node)
        elsif @replaced.key?(node) then replace(node)
        elsif wrapper?(node) then unwrap(node)
        elsif half_dead?(node) then collect_live_branch(node)
        else node.nodes.each { |child| collect(child) }
        end
      end

      def remove(node)
        from, to, text = @source.removal(node)
        text += todos(node).join if @source.own_lines?(node)
        @edits << [from, to, text]
      end

      # With the code, which may be a condition.
      def todos(node)
        told = node.walk.select { |one| @tasks.key?(one) }
        @told.merge(told)
        told.map { |one| "#{@source.margin(node)}#{Source::TODO}#{task(one, node)}\n" }
      end

      def task(node, within) = "#{@tasks[node]}, in place of: #{@source.of(within).split.join(" ")}"

      # What is a part of a line, or of a branch, is told above its statement.
      def untold
        @tasks.keys.reject { |node| @told.include?(node) }.map do |node|
          statement = @source.statement_of(node)
          [statement.from, statement.from, @source.todo(task(node, node), statement)]
        end
      end

      def replace(node)
        @edits << [node.from, node.to, @replaced[node]]
        name = Call.of(node, @source)&.name
        remove_comment(*@source.removal_of_comment(node)) if @server::DIRECTIVES[name]&.recast
      end

      # Only one about the line. It may be part of what is removed already, in front of a branch or of a block's first
      # line.
      def remove_comment(from, to, text)
        return unless @source.of(from...to).match?(/worker|puma|request|timeout/i)

        @edits << [from, to, text] if @edits.none? { |first, last, _| first <= from && to <= last }
      end

      # A block that the other server calls at once.
      def wrapper?(node)
        node.type == :ITER && @server::WRAPPERS.include?(Call.of(node, @source)&.name)
      end

      def unwrap(node)
        body = node.nodes.last.children.last or return
        @edits << [node.from, body.from, ""] << [body.to, node.to, ""]
        collect(body)
      end

      # if … else … end, one branch of which has nothing left to do.
      def half_dead?(node)
        _, first, second = node.nodes
        %i[IF UNLESS].include?(node.type) && second && @source.of(node).match?(/\A(?:if|unless)\b/) &&
          second.type != :IF && [first, second].count { |branch| @liveness.dead?(branch) } == 1
      end

      def collect_live_branch(node)
        condition, first, second = node.nodes
        if @liveness.dead?(second)
          @edits << [first.to, second.to, ""]
          return collect(first)
        end
        word = node.type.to_s.downcase
        @edits << [node.from, node.from + word.size, word == "if" ? "unless" : "if"]
        @edits << [condition.to, second.from, "\n#{" " * (second.from - @source.line_start(second.from))}"]
        collect(second)
      end
    end
  end
end
