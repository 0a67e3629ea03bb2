# frozen_string_literal: true

require "coppice/cli/effective_values"
require "coppice/config/options"
require "coppice/config/settings"
require "coppice/control/table"

module Coppice
  class CLI
    # What `coppice check --show` prints of a configuration: each setting, hook, service, and variable of a cold mold's
    # environment, with its value and origin.
    class SettingsTable
      #: (Config::Settings, Array[MoldEnvironment::Variable]) -> void
      def initialize(settings, variables)
        @settings = settings
        @variables = variables
      end

      def lines #: () -> Array[String]
        Control::Table.lines(
          [%w[setting value origin], *plain_rows, *option_rows, *hook_rows, *service_rows, *variable_rows]
        )
      end

      private

      def plain_rows
        [["RACK_ENV", @settings.environment_name, ""], ["rackup", @settings.rackup, ""]]
      end

      def option_rows
        effective = EffectiveValues.new(@settings, @variables)
        Config::OPTIONS.map do |option|
          value = @settings.public_send(option.name)
          text = text_of(option, value)
          effective_value = effective.of(option.name)
          text = "#{text} (#{effective_value})" if effective_value
          [option.name.to_s, text, @settings.origin(option.name)]
        end
      end

      def hook_rows
        @settings.hooks.compact.keys.map { |name| [name.to_s, "a block", @settings.origin(name)] }
      end

      def service_rows
        @settings.services.select(&:name).map do |service|
          name = "service #{service.name}"
          options = Config::SERVICE_OPTIONS.names.reject { |option| service[option].nil? }
          options = options.map { |option| "#{option}: #{service[option].inspect}" }
          [name, [*("a block" if service.block), *options].join(", "), @settings.origin(name.to_sym)]
        end
      end

      def variable_rows
        return [] if @variables.empty?

        rows = @variables.map { |variable| [variable.name, variable.value, variable.origin] }
        [["", "", ""], %w[variable value origin], *rows]
      end

      # A logger or a block is shown by its class.
      def text_of(option, value)
        return value.map(&:text_with_options).join(" ") if value && Config::Settings::ADDRESSES.include?(option.name)
        return "a secret" if value && option.type.secret?

        text = value.inspect
        text.start_with?("#<") ? "a #{value.class}" : text
      end
    end
  end
end
