# frozen_string_literal: true

require "coppice/config/dsl"
require "coppice/tools/import/application_code"
require "coppice/tools/import/call"
require "coppice/tools/import/entry"
require "coppice/tools/import/missing"

module Coppice
  module Import
    # What the main part of a translated file still uses, and Coppice or its monitor does not have. Each such statement
    # gets a comment above it and an entry of the report. Hooks are looked through by Hooks.
    class Leftovers
      #: (Source, Module, Liveness, Set[Source::Node]) -> void
      def initialize(source, server, liveness, hooks)
        @source = source
        @server = server
        @liveness = liveness
        @hooks = hooks
        @application = ApplicationCode.new(source)
      end

      # For Source#edited.
      def comments #: () -> Array[[Integer, Integer, String]]
        @source.statements.filter_map do |node|
          lines = todos(node).map { |text| @source.todo("#{text}.", node) }
          [node.from, node.from, lines.join] unless lines.empty?
        end
      end

      def entries #: () -> Array[Entry]
        @source.statements.filter_map do |node|
          notes = remarks(node)
          next if notes.empty?

          Entry.new(line: node.line, name: @source.first_line(node), outcome: :by_hand, note: notes.join("; "))
        end
      end

      private

      def todos(node) = [*Missing.todos(foreign(node) + unknown(node)), *of_application(node)]

      def remarks(node)
        [*Missing.remarks(foreign(node)),
         *unknown(node).map { |name| "neither #{@server::TITLE} nor Coppice has #{name}" }, *of_application(node)]
      end

      def of_application(node) = @application.remark(live(node), others: foreign(node))

      def foreign(node) = @server::FOREIGN.names(live(node))

      # The nodes that stay, without those of hooks.
      def live(node)
        return [] if gone?(node)

        [node, *node.nodes.flat_map { |child| live(child) }]
      end

      def gone?(node) = @liveness.dead?(node) || @hooks.include?(node)

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
