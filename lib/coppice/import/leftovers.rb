# frozen_string_literal: true

require "coppice/import/entry"

module Coppice
  module Import
    # What the main part of a translated file still uses, and Coppice does not have. Each such statement gets a comment
    # above it and an entry of the report. Hooks are looked through by Hooks.
    class Leftovers
      #: (Source, Module, Liveness, Array[Source::Node]) -> void
      def initialize(source, server, liveness, hooks)
        @source = source
        @server = server
        @liveness = liveness
        @hooks = hooks
      end

      # For Source#edited.
      def comments #: () -> Array[[Integer, Integer, String]]
        findings.map do |node, foreign|
          indent = " " * (node.from - @source.line_start(node.from))
          [node.from, node.from, "# TODO: Coppice has no #{foreign.join(' and no ')}.\n#{indent}"]
        end
      end

      def entries #: () -> Array[Entry]
        findings.map do |node, foreign|
          Entry.new(line: node.line, name: @source.of(node).lines.first.strip, outcome: :changed,
            note: "it uses #{foreign.join(' and ')}, which Coppice does not have: change it by hand")
        end
      end

      private

      def findings
        @findings ||= @source.statements.to_h { |node| [node, @server::FOREIGN.names(live(node))] }
                             .reject { |_, foreign| foreign.empty? }
      end

      # The nodes that stay, without those of hooks.
      def live(node)
        return [] if @liveness.dead?(node) || @hooks.any? { |hook| hook.equal?(node) }

        [node, *node.nodes.flat_map { |child| live(child) }]
      end
    end
  end
end
