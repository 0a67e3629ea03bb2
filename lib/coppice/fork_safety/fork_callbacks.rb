# frozen_string_literal: true

require "coppice/errors"
require "coppice/fork_safety/finding"
require "coppice/fork_safety/stray_copy"
require "coppice/log/text"

module Coppice
  module ForkSafety
    # The blocks that gems and the application have registered with Coppice.at_fork. A forked process inherits those of
    # its parent.
    class ForkCallbacks
      # Hook of the configuration => the block of at_fork that is called right before it.
      MOMENTS = {
        before_fork: :before,
        after_fork_in_parent: :after_in_parent,
        after_mold_fork: :after_in_mold,
        after_worker_fork: :after_in_worker,
        before_service_worker_ready: :after_in_worker
      }.freeze

      # The blocks, as Remedies compares them with what presets ask for. place: file and line of the beginning.
      attr_reader :blocks #: Array[Hash[Symbol, String?]]

      def initialize
        @callbacks = []
        @blocks = []
      end

      # Raises ArgumentError for something that cannot be called without arguments.
      #: (Hash[Symbol, untyped]) -> void
      def add(callbacks)
        callbacks = callbacks.compact
        callbacks.each { |moment, callback| check(moment, callback) }
        @blocks.concat(callbacks.map { |moment, callback| described(moment, place_of(callback)) })
        @callbacks << callbacks.transform_values { |callback| StrayCopy.end_after_each(callback) }
      end

      # Calls the blocks for the moment of this hook, in the order in which they were registered. An error in one is
      # logged only, because a mistake in a gem must not end the process.
      #: (Symbol, Log) -> void
      def call(hook, log)
        moment = MOMENTS[hook] or return
        @callbacks.filter_map { |callbacks| callbacks[moment] }.each do |callback|
          callback.call
        rescue UserCodeError => error # a gem's or the application's
          log.exception("a block of Coppice.at_fork failed", error, moment: moment)
        end
      end

      private

      def described(moment, place)
        { moment: moment.to_s, place: place, gem: place && Finding.gem_of(place) }.freeze
      end

      # A file's name may have any bytes.
      def place_of(callback)
        location = callback.source_location if callback.respond_to?(:source_location)
        Log::Text.valid(location.join(":")) if location
      end

      def check(moment, callback)
        refuse(moment, "needs something to call, but got a #{callback.class}") unless callback.respond_to?(:call)
        refuse(moment, "is called without arguments, but the block needs some") if needs_arguments?(callback)
      end

      # A proc that is not a lambda can be called without its arguments.
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
