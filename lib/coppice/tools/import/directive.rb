# frozen_string_literal: true

require "coppice/config/hooks"

module Coppice
  module Import
    # What becomes of one directive of another server, under each of its names.
    #
    #   outcome  :taken (same meaning), :changed (something is different), or :dropped
    #   target   what Coppice has for it, as the documentation shows it; nil without anything
    #   note     what is different, or why it is dropped
    #   rewrite  returns the text for a Call, or nil to drop it; nil for the same text under the target's name
    #   hook     whether it takes a block that is called later
    #   origins  how to make each argument of that block; nil where the target's block has the same ones
    #   recast   whether a comment above the call, which tells what it does, is no longer true
    #   unknown  what the first of these arguments is in the other server, where Coppice has only nil for it
    #   settled  whether a line that is dropped leaves nothing to think of
    Directive = Struct.new(:names, :outcome, :target, :note, :rewrite, :recast, :hook, :origins, :unknown, :settled,
      keyword_init: true) do
      # The names of what Coppice passes to the block of a hook.
      #: () -> Array[String]
      def arguments = Config::HOOKS[target.to_sym].arguments.map(&:to_s)

      # Whether the monitor calls the block.
      #: () -> bool
      def in_monitor? = Config::HOOKS[target.to_sym].process == :monitor

      # Whether Coppice passes what the other server does: the server and a worker.
      #: () -> bool
      def same_arguments? = origins.nil? && arguments.size > 1
    end
  end
end
