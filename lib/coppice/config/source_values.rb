# frozen_string_literal: true

module Coppice
  module Config
    # The values of one source (the environment, flags, …), each with its origin. A frozen value; sources with a higher
    # precedence are laid `over` the others.
    class SourceValues
      attr_reader :values  #: Hash[Symbol, untyped]
      attr_reader :origins #: Hash[Symbol, String]

      #: (Hash[Symbol, [untyped, String]]) -> SourceValues
      def self.of(pairs)
        new(pairs.transform_values(&:first), pairs.transform_values(&:last))
      end

      #: (Hash[Symbol, untyped], Hash[Symbol, String]) -> void
      def initialize(values, origins)
        @values = values.dup.freeze
        @origins = origins.dup.freeze
        freeze
      end

      # These values without those of some options.
      #: (Array[Symbol]) -> SourceValues
      def without(names)
        SourceValues.new(*[values, origins].map { |pairs| pairs.reject { |name, _| names.include?(name) } })
      end

      # These values, and the other source's for options that these do not set.
      #: (SourceValues | FileValues) -> SourceValues
      def over(other)
        SourceValues.new(other.values.merge(values), other.origins.merge(origins))
      end
    end
  end
end
