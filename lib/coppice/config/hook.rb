# frozen_string_literal: true

require "coppice/errors"
require "coppice/fork_safety/stray_copy"

module Coppice
  module Config
    # One row of the catalogue of hooks: its name, the arguments its block gets, the process that calls it, and when.
    Hook = Struct.new(:name, :arguments, :process, :since, :doc, keyword_init: true) do
      # Returns a Proc that can be called with all arguments of the hook, or nil for nil. The block may take fewer
      # arguments. A process that the block forks ends with the block. Raises InvalidValue when it takes more arguments.
      #: (untyped) -> Proc?
      def check(block)
        return if block.nil?
        unless block.respond_to?(:to_proc) && !block.is_a?(Symbol)
          raise InvalidValue.new("takes a block, but got #{block.inspect[0, 80]}", reason: "takes a block")
        end

        ForkSafety::StrayCopy.end_after_each(fit(block.to_proc))
      end

      # The process that calls the block, as the help names it.
      def place #: () -> String
        HOOK_PLACES.fetch(process)
      end

      # The hook as it stands in a configuration file.
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

      # Proc#arity is -n-1 for n required and some optional parameters.
      def required(block)
        block.arity.negative? ? ~block.arity : block.arity
      end

      def refuse(block)
        names = arguments.join(", ")
        raise InvalidValue,
          "is called with #{arguments.size} (#{names}), but the block asks for #{required(block)}: write |#{names}|"
      end
    end
  end
end
