# frozen_string_literal: true

require "coppice/errors"
require "coppice/fork_safety/stray_copy"

module Coppice
  module Config
    HOOK_PLACES = {
      monitor: "the monitor", mold: "the mold, or the worker that becomes one", worker: "the worker", service: "the service worker"
    }.freeze
    private_constant :HOOK_PLACES

    # One row of the catalogue of hooks: its name, the arguments its block gets, the process that calls it, and when.
    Hook = Struct.new(:name, :arguments, :process, :since, :doc, keyword_init: true) do
      # Answers a Proc that can be called with all arguments of the hook, or nil for nil. A block may take fewer. A
      # process that it forks does not come out of it.
      # Raises InvalidValue when it asks for more.
      #: (untyped) -> Proc?
      def check(block)
        return if block.nil?
        raise InvalidValue, "takes a block, but got #{block.inspect[0, 80]}" unless block.respond_to?(:to_proc) && !block.is_a?(Symbol)

        ForkSafety::StrayCopy.end_after_each(fit(block.to_proc))
      end

      # The process that calls the block, for people.
      def place #: () -> String
        HOOK_PLACES.fetch(process)
      end

      # The hook as one writes it in a config file.
      def example #: () -> String
        "#{name} do |#{arguments.join(', ')}|\nend"
      end

      private

      def fit(block)
        kinds = block.parameters.map(&:first)
        refuse(block) if kinds.include?(:keyreq) || required(block) > arguments.size
        return block if !block.lambda? || kinds.include?(:rest)

        taken = kinds.count { |kind| %i[req opt].include?(kind) }
        taken >= arguments.size ? block : ->(*all) { block.call(*all.first(taken)) }
      end

      # Ruby says -n-1 for "n, and optional ones".
      def required(block)
        block.arity.negative? ? ~block.arity : block.arity
      end

      def refuse(block)
        names = arguments.join(", ")
        raise InvalidValue, "is called with #{arguments.size} (#{names}), but the block asks for #{required(block)}: write |#{names}|"
      end
    end
  end
end
