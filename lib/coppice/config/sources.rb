# frozen_string_literal: true

require "coppice/config/options"

module Coppice
  module Config
    # One source of values (a file, the environment, flags), each with the place it comes from. A frozen value.
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

      # This layer's values over the other's.
      #: (SourceValues | FileValues) -> SourceValues
      def over(other)
        SourceValues.new(other.values.merge(values), other.origins.merge(origins))
      end
    end

    # What environment variables say about options. An empty variable says nothing.
    class Environment
      #: (Hash[String, String]) -> void
      def initialize(variables)
        @variables = variables
      end

      # The port that PORT names, or nil.
      def port #: () -> Integer?
        text = given("PORT") or return
        Integer(text, 10)
      rescue ArgumentError
        raise ConfigError.new("environment variable PORT must be a port number, but is #{text.inspect}")
      end

      # Values and origins. PORT is one of this host. A file that listens on PORT has read the variable itself, perhaps for
      # only one of its addresses: then the file is right.
      #: (SourceValues, host: String) -> SourceValues
      def layer(file, host:)
        simple = OPTIONS.select(&:environment).reject { |option| option.name == :listen }
        values = simple.filter_map { |option| pair(option) }.to_h
        values[:listen] = [[Listeners::Address.parse("#{host}:#{port}")].freeze, "environment PORT"] if port && !listens?(file, port)
        SourceValues.of(values)
      rescue InvalidValue => error
        raise ConfigError.new("environment variable PORT: #{error.message}")
      end

      private

      def pair(option)
        text = given(option.environment) or return
        [option.name, [option.type.parse(text), "environment #{option.environment}"]]
      rescue InvalidValue => error
        raise ConfigError.new("environment variable #{option.environment} #{error.message}")
      end

      def listens?(file, port)
        file.values.fetch(:listen, []).any? { |address| address.port == port }
      end

      def given(name)
        text = @variables[name]
        text unless text.to_s.empty?
      end
    end
  end
end
