# frozen_string_literal: true

require "coppice/config/dsl"
require "coppice/import/call"
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
        @found = source.statements.map { |node| [node, server::FOREIGN.names(live(node)), unknown(node)] }
                       .reject { |_, foreign, unknown| foreign.empty? && unknown.empty? }
      end

      # For Source#edited.
      def comments #: () -> Array[[Integer, Integer, String]]
        @found.map do |node, foreign, unknown|
          comment = "# TODO: Coppice has no #{(foreign + unknown).join(' and no ')}.\n#{@source.margin(node)}"
          [node.from, node.from, comment]
        end
      end

      def entries #: () -> Array[Entry]
        @found.map do |node, foreign, unknown|
          notes = unknown.map { |name| "neither #{@server::TITLE} nor Coppice has #{name}" }
          notes.unshift(uses(foreign)) unless foreign.empty?
          Entry.new(line: node.line, name: @source.first_line(node), outcome: :changed, note: notes.join("; "))
        end
      end

      private

      def uses(foreign) = "it uses #{foreign.join(' and ')}, which Coppice does not have: change it by hand"

      # The nodes that stay, without those of hooks.
      def live(node)
        return [] if gone?(node)

        [node, *node.nodes.flat_map { |child| live(child) }]
      end

      def gone?(node) = @liveness.dead?(node) || @hooks.any? { |hook| hook.equal?(node) }

      # The names of calls that stand where directives do, and are none.
      def unknown(node)
        return [] if gone?(node)

        call = Call.of(node, @source)
        return node.steps.flat_map { |step| unknown(step) } unless call

        known?(call.name) ? [] : [call.name]
      end

      # Dsl has the methods of Kernel as well.
      def known?(name)
        @server::DIRECTIVES.key?(name) || @server::WRAPPERS.include?(name) || @source.methods.include?(name) ||
          Config::Dsl.method_defined?(name) || Config::Dsl.private_method_defined?(name)
      end
    end
  end
end
