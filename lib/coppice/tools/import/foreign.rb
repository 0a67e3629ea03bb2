# frozen_string_literal: true

require "coppice/tools/import/source"

module Coppice
  module Import
    # What belongs to another server: its constants, the instance variables of its DSL, and the files that it is
    # required from. Found in the syntax tree: its name in a text or a comment, or within a constant of the application
    # such as Shop::Puma, is another matter.
    class Foreign
      # Objects that hooks get => their methods that have another meaning in a hook of Coppice, or none.
      ARGUMENTS = { server: %i[config pid listen master_pid], worker: %i[user tmp] }.freeze
      VARIABLES = [:VCALL, *Source::READS].freeze
      private_constant :ARGUMENTS, :VARIABLES

      #: (constants: Array[String], features: Regexp, ?variables: Array[Symbol]) -> void
      def initialize(constants:, features:, variables: [])
        @constants = constants
        @features = features
        @variables = variables
        freeze
      end

      # What of the server some nodes name, each once.
      #: (Enumerable[Source::Node]) -> Array[String]
      def names(nodes) = nodes.filter_map { |node| name(node) }.uniq

      # The same for the statements of a hook, which may also use what the server passes to it.
      #: (Array[Source::Node]) -> Array[String]
      def names_in_hook(statements)
        nodes = statements.flat_map { |statement| statement.walk.to_a }
        nodes.filter_map { |node| name(node) || method_of_argument(node) }.uniq
      end

      # The file of the server that a node requires.
      #: (Source::Node) -> String?
      def feature(node)
        return unless node.type == :FCALL && %i[require require_relative].include?(node.children.first)

        node.texts.find { |text| @features.match?(text) }
      end

      private

      def name(node)
        case node.type
        when :CONST, :COLON2, :COLON3 then (@constants & [path(node)]).first
        when :IVAR then (node.children.first.to_s if @variables.include?(node.children.first))
        when :FCALL then feature(node)
        end
      end

      # "A::B" of the nodes A and B; nil below anything else.
      def path(node)
        *scope, name = node.children
        return name.to_s unless scope.first.is_a?(Source::Node)

        above = path(scope.first) if %i[CONST COLON2 COLON3].include?(scope.first.type)
        "#{above}::#{name}" if above
      end

      def method_of_argument(node)
        receiver, method = node.children
        return unless Source::CALLS.include?(node.type) && VARIABLES.include?(receiver.type)

        name = receiver.children.first
        "#{name}.#{method}" if ARGUMENTS.fetch(name, []).include?(method)
      end
    end
  end
end
