# frozen_string_literal: true

require "coppice/tools/import/hook_body"
require "coppice/tools/import/hook_habits"
require "coppice/tools/import/missing"
require "coppice/tools/import/source"

module Coppice
  module Import
    # What a hook uses that is not there, or is something else, when Coppice calls it.
    class HookReview
      # What the argument of after_worker_exit has.
      HANDLE = %i[nr pid generation requests_count exit_report].freeze
      NEXT_WORKER = "which worker will be forked is not known: its nr is 0"
      OTHER_ARGUMENTS = "the block has other arguments here: name those that it reads"
      # Statements that close the connections of Active Record before a fork, or open them after it.
      # An argument of establish_connection chooses another database.
      CONNECTIONS = /(?:\bActiveRecord::Base\b[^;\n]*|:active_record\)?\s*(?:do|{)\s*)
                     \b(?:clear_\w+_connections!|disconnect!|
                        establish_connection\b(?!\(\s*[^\s)]|[ ]+(?!(?:if|unless|rescue|end)\b)["':@\w]))/x.freeze
      NO_CONNECTIONS = "Active Record 7.1 and later needs no line for a fork, except with sqlite3 before 2.1: " \
                       "docs/fork_safety.md"
      private_constant :HANDLE, :NEXT_WORKER, :OTHER_ARGUMENTS, :CONNECTIONS, :NO_CONNECTIONS

      #: (Call, Directive, Foreign, ApplicationCode) -> void
      def initialize(call, directive, foreign, application)
        @call = call
        @directive = directive
        @foreign = foreign
        @application = application
        @body = HookBody.new(call) if call.block
      end

      # What has to be changed by hand, for a comment above the hook.
      #: () -> Array[String]
      def todos = [*Missing.todos(missing), *common]

      # For the report.
      #: () -> Array[String]
      def remarks
        [*Missing.remarks(missing), *common, *HookHabits.new(statements, @directive, @call.source).remarks,
         *(NO_CONNECTIONS if connections?)]
      end

      private

      # What both say in the same words.
      def common
        [*(NEXT_WORKER if next_worker?), *unknown, *of_application, *(OTHER_ARGUMENTS if other_arguments?)]
      end

      def connections? = statements.any? { |statement| CONNECTIONS.match?(@call.source.of(statement)) }

      def missing = @missing ||= @foreign.names_in_hook(statements) + methods_of_handle

      def of_application
        @application.remark_for_monitor(statements, others: missing) if @directive.in_monitor?
      end

      def statements = @body ? @body.statements : [@call.node]

      # Whether a block of Unicorn's reads the worker where Coppice passes none. What a variable holds may read it.
      def next_worker?
        return false if @directive.origins || @directive.same_arguments?
        return !@call.passed.nil? || !@call.arguments.empty? unless @body

        @body.parameters.drop(@directive.arguments.size).any? { |name| @body.reads?(name) }
      end

      # What a block reads that is always nil here. What a variable holds may read it.
      def unknown
        return if @directive.unknown.nil?

        reads = @body ? @body.parameters.first(1).any? { |name| @body.reads?(name) } : !@call.passed.nil?
        "Coppice does not know #{@directive.unknown} here: it is nil" if reads
      end

      def other_arguments? = @body&.implicit_parameters? && !@directive.same_arguments?

      def methods_of_handle
        index = @directive.origins&.index("worker")
        name = @body.parameters[index] if @body && index
        name ? called_on(name.to_sym).map { |method| "#{name}.#{method}" } : []
      end

      def called_on(name)
        calls = statements.flat_map { |one| one.walk.select { |node| Source::CALLS.include?(node.type) } }
        methods = calls.select { |node| node.nodes.first.children.first == name }.map { |node| node.children[1] }
        methods.uniq.reject { |method| HANDLE.include?(method) || Object.method_defined?(method) }
      end
    end
  end
end
