# frozen_string_literal: true

require "coppice/tools/test_reforks/portable_error"

module Coppice
  module TestReforks
    # The result of an example on its way from a later generation to the first process.
    RSpecExample = Struct.new(:id, :description, :full_description, :facts, :exception, :pending_exception) do
      #: (untyped) -> RSpecExample
      def self.of(example)
        result = example.execution_result
        facts = self::FACTS.to_h { |name| [name, result.public_send(name)] }
        new(example.id, *example.metadata.values_at(:description, :full_description), facts,
          *[example.exception, result.pending_exception].map { |error| error && PortableError.of(error) })
      end

      # Fails an example that has begun, but not ended.
      #: (untyped, Exception) -> void
      def self.fail(example, error)
        facts = { status: :failed, started_at: ::RSpec::Core::Time.now, finished_at: ::RSpec::Core::Time.now,
                  run_time: 0.0 }
        assign(example, facts, error)
      end

      # Runs the example in this process, with the context hooks of its groups, and forgets the result. Groups in which
      # this process stopped have had their hooks.
      #: (untyped, open_groups: Array[Class]) -> bool
      def self.passes_alone?(example, open_groups:)
        groups = example.example_group.parent_groups.reverse - open_groups
        groups.each { |group| group.run_before_context_hooks(group.new("before(:context) hook")) }
        example.run(instance_for(example), ::RSpec::Core::NullReporter)
        example.exception.nil?
      rescue StandardError, ScriptError # of a context hook
        false
      ensure
        groups&.reverse_each { |group| group.run_after_context_hooks(group.new("after(:context) hook")) }
        assign(example, {}, nil)
      end

      def self.instance_for(example)
        group = example.example_group
        instance = group.new(example.inspect_output)
        group.before_context_ivars.each { |name, value| instance.instance_variable_set(name, value) }
        instance
      end
      private_class_method :instance_for

      # A new result for an example.
      #: (untyped, Hash[Symbol, untyped], Exception?) -> void
      def self.assign(example, facts, error)
        result = example.metadata[:execution_result] = ::RSpec::Core::Example::ExecutionResult.new
        facts.each { |name, value| result.public_send("#{name}=", value) }
        result.exception = error
        example.instance_variable_set(:@exception, error)
      end

      #: () -> bool
      def failed? = facts[:status] == :failed

      # Gives an example of this process the result. The error is the exception of this result, restored.
      #: (untyped, Exception?) -> void
      def apply_to(example, error)
        example.metadata.merge!(description: description, full_description: full_description)
        self.class.assign(example, facts, error)
        example.execution_result.pending_exception = pending_exception&.restore
      end
    end

    RSpecExample::FACTS = %i[status started_at finished_at run_time pending_message pending_fixed].freeze
  end
end
