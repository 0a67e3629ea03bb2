# frozen_string_literal: true

require "coppice/fork_safety/stray_copy"

module Coppice
  module ForkSafety
    # The blocks that gems and the application have registered with Coppice.at_fork. They are kept in memory, so that a
    # process has those of the process that it was forked from.
    class ForkCallbacks
      # The hooks of the configuration, with the moment of at_fork that comes right before each.
      MOMENTS = {
        before_fork: :before,
        after_fork_in_parent: :after_in_parent,
        after_mold_fork: :after_in_mold,
        after_worker_fork: :after_in_worker,
        before_service_worker_ready: :after_in_worker
      }.freeze

      def initialize
        @callbacks = []
      end

      # Raises ArgumentError for something that cannot be called without arguments.
      #: (Hash[Symbol, untyped]) -> void
      def add(callbacks)
        callbacks.compact.each { |moment, callback| check(moment, callback) }
        @callbacks << callbacks.compact.transform_values { |callback| StrayCopy.end_after_each(callback) }
      end

      # Calls the blocks for the moment of this hook, in the order in which they were registered. What one raises is
      # logged: a gem's mistake must not end the process.
      #: (Symbol, Log) -> void
      def call(hook, log)
        moment = MOMENTS[hook] or return
        @callbacks.filter_map { |callbacks| callbacks[moment] }.each do |callback|
          callback.call
        rescue StandardError, ScriptError => error # a gem's or the application's
          log.exception("a block of Coppice.at_fork failed", error, moment: moment)
        end
      end

      private

      def check(moment, callback)
        refuse(moment, "needs something to call, but got a #{callback.class}") unless callback.respond_to?(:call)
        refuse(moment, "is called without arguments, but the block needs some") if needs_arguments?(callback)
      end

      # A block that is no lambda may ignore what it does not get.
      def needs_arguments?(callback)
        return false unless callback.respond_to?(:parameters)
        return false if callback.is_a?(Proc) && !callback.lambda?

        callback.parameters.map(&:first).intersect?(%i[req keyreq])
      end

      def refuse(moment, why)
        raise ArgumentError, "Coppice.at_fork: #{moment} #{why}"
      end
    end
  end
end
