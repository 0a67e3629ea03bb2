# frozen_string_literal: true

require "coppice/config/options"
require "coppice/config/replaced_addresses"
require "coppice/config/source_values"

module Coppice
  module Config
    # Reads the values of options from environment variables. An empty variable counts as unset.
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
        problem = "environment variable PORT must be a port number"
        raise ConfigError.new("#{problem}, but is #{text.inspect}", reason: problem)
      end

      # `host` is where PORT listens. When the file already listens on PORT, it has read the variable itself, perhaps
      # for only one of its addresses: then the file's addresses count.
      #: (SourceValues, host: String) -> SourceValues
      def source_values(file, host:)
        simple = OPTIONS.select(&:environment).reject { |option| option.name == :listen }
        values = simple.filter_map { |option| pair(option) }.to_h
        if port && !listens?(file, port)
          address = Listeners::Address.parse("#{host}:#{port}")
          values[:listen] = [[address].freeze, ReplacedAddresses::VARIABLE]
        end
        SourceValues.of(values.merge(passed(file)))
      rescue InvalidValue => error
        refuse("PORT:", error)
      end

      private

      def pair(option)
        text = given(option.environment) or return
        [option.name, [option.type.parse(text), "environment #{option.environment}"]]
      rescue InvalidValue => error
        refuse(option.environment, error)
      end

      def refuse(name, error)
        problem, reason = [error.message, error.reason].map { |text| "environment variable #{name} #{text}" }
        raise ConfigError.new(problem, reason: reason)
      end

      # Sockets that a service manager has opened under the name of an option: their addresses are its value, written as
      # in the file where it has them.
      def passed(file)
        return {} unless given("LISTEN_FDNAMES")

        require "coppice/listeners/activation"
        activation = Listeners::Activation.new(@variables)
        named = Settings::ADDRESSES.to_h do |option|
          known = file.values[option].to_a.map(&:to_s)
          [option, activation.addresses_named(option.to_s, known: known)]
        end
        named.reject { |_, addresses| addresses.empty? }.to_h do |option, addresses|
          [option, [OPTIONS[option].type.check(addresses.uniq), "environment LISTEN_FDNAMES"]]
        end
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
