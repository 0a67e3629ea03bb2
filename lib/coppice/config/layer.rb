# frozen_string_literal: true

module Coppice
  module Config
    # One source of values (a file, the environment, flags), each with the place it comes from. A frozen value.
    class Layer
      attr_reader :values  #: Hash[Symbol, untyped]
      attr_reader :origins #: Hash[Symbol, String]

      #: (Hash[Symbol, [untyped, String]]) -> Layer
      def self.of(pairs)
        new(pairs.transform_values(&:first), pairs.transform_values(&:last))
      end

      #: (Hash[Symbol, untyped], Hash[Symbol, String]) -> void
      def initialize(values, origins)
        @values = values.dup.freeze
        @origins = origins.dup.freeze
        freeze
      end

      # This layer's values over the other's.
      #: (Layer | Record) -> Layer
      def over(other)
        Layer.new(other.values.merge(values), other.origins.merge(origins))
      end
    end
  end
end
