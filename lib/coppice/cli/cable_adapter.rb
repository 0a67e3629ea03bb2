# frozen_string_literal: true

require "coppice/config/service_definition"

module Coppice
  class CLI
    # Compares a service for WebSockets with the adapter in Rails' config/cable.yml, as far as that can be read without
    # running its Ruby.
    class CableAdapter
      FILE = "config/cable.yml"

      #: (Config::Settings, Hash[String, String], String) -> void
      def initialize(settings, environment, directory)
        @settings = settings
        @name = [environment["RAILS_ENV"].to_s, settings.environment_name.to_s].find { |name| !name.empty? }
        @path = File.join(directory, FILE)
      end

      # nil where broadcasts reach the service, and where nobody minds: a check in development is about production.
      #: () -> String?
      def warning
        service = @settings.services.find(&:path)
        return if service.nil? || @settings.single? || %w[development test].include?(@name)
        return unless Config::LOCAL_CABLE_ADAPTERS.include?(found = adapter)

        "service #{service.name}: broadcasts of workers do not reach WebSockets with the adapter #{found}: " \
          "#{Config::LOCAL_CABLE_REMEDY}"
      end

      private

      def adapter
        require "yaml"
        text = File.read(@path, encoding: Encoding::UTF_8)
        sections = YAML.safe_load(text.gsub(/<%.*?%>/m, ""), aliases: true)
        section = sections[@name] if sections.is_a?(Hash)
        section["adapter"] if section.is_a?(Hash)
      rescue SystemCallError, YAML::Exception, ArgumentError # there is none, or only Rails can read it
        nil
      end
    end
  end
end
