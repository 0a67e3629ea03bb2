# frozen_string_literal: true

require "coppice/config/arguments"
require "coppice/config/config_file"
require "coppice/config/sources"
require "coppice/config/settings"

module Coppice
  module Config
    # Builds the Settings: flags over environment over the options line of config.ru over config file over defaults.
    # Runs once, in the monitor. Writes RACK_ENV, so that the config file and all children see the chosen one. RAILS_ENV
    # stands in for it.
    class Loader
      DEFAULT_FILES = %w[config/coppice.rb config/pitchfork.rb].freeze
      DEFAULT_RACKUP = "config.ru"
      DEFAULT_ENVIRONMENT = "development"
      EVERYWHERE = "0.0.0.0"
      THIS_MACHINE = "127.0.0.1"

      #: (?arguments: Arguments | Array[String], ?environment: Hash[String, String], ?directory: String) -> void
      def initialize(arguments: [], environment: ENV, directory: Dir.pwd)
        @arguments = arguments.is_a?(Array) ? Arguments.parse(arguments) : arguments
        @environment = environment
        @directory = directory
      end

      # Raises ConfigError, or UsageError for a flag.
      def load #: () -> Settings
        embedded = embedded_arguments
        @environment["RACK_ENV"] = name = environment_name(embedded)
        flags = embedded.ruby_flags + @arguments.ruby_flags
        flags.apply_load_paths
        record = read_file(embedded)
        layer = merge(record, embedded, name)
        verify(layer)
        Settings.new(values: layer.values, origins: layer.origins, hooks: record.hooks, ruby_flags: flags,
          config_file: record.file, config_fingerprint: record.fingerprint, rackup: rackup, environment_name: name)
      end

      private

      def rackup
        @arguments.rackup || DEFAULT_RACKUP
      end

      # What the line "#\ -p 3000" in config.ru says: rackup's way to keep flags beside the application.
      def embedded_arguments
        path = File.expand_path(rackup, @directory)
        line = File.foreach(path).find { |text| text.start_with?("#\\") } if path.end_with?(".ru") && File.readable?(path)
        Arguments.parse(line.to_s.delete_prefix("#\\").split)
      rescue UsageError => error
        raise ConfigError.new(error.message, file: rackup)
      end

      def environment_name(embedded)
        chosen = [@arguments.environment_name, *@environment.values_at("RACK_ENV", "RAILS_ENV"), embedded.environment_name]
        chosen.find { |name| !name.to_s.empty? } || DEFAULT_ENVIRONMENT
      end

      def read_file(embedded)
        file = @arguments.config_file || embedded.config_file || default_file
        return FileValues.new.freeze unless file

        unless File.exist?(File.expand_path(file, @directory))
          raise ConfigError.new("there is no such file", file: file, remedy: "Give the right one with -c")
        end

        ConfigFile.read(file, directory: @directory)
      end

      def default_file
        DEFAULT_FILES.find { |name| File.exist?(File.join(@directory, name)) }
      end

      def merge(record, embedded, name)
        environment = Environment.new(@environment)
        host = default_host(name)
        port = environment.port || Arguments::DEFAULT_PORT
        file = in_config_ru(embedded.layer(host: host)).over(record)
        layer = @arguments.layer(host: host, port: port).over(environment.layer(file, host: host)).over(file)
        keep_options(layer.over(default_listen(host)), record)
      end

      # Where a port without a host is bound: that of -p, of PORT, and the default one. An application in development shows
      # its source in error pages and may offer a console, so the network must not reach it by accident.
      def default_host(environment_name) = environment_name == DEFAULT_ENVIRONMENT ? THIS_MACHINE : EVERYWHERE

      def default_listen(host)
        SourceValues.of(listen: [[Listeners::Address.parse("#{host}:#{Arguments::DEFAULT_PORT}")].freeze, "default"])
      end

      def in_config_ru(layer)
        SourceValues.new(layer.values, layer.origins.transform_values { |origin| "#{rackup} (#{origin})" })
      end

      # An address that was named without options keeps those that the config file gives to the same one.
      def keep_options(layer, record)
        known = record.values.fetch(:listen, []).to_h { |address| [address.to_s, address] }
        listen = layer.values.fetch(:listen).map { |address| known.fetch(address.to_s, address) }.uniq.freeze
        SourceValues.new(layer.values.merge(listen: listen), layer.origins)
      end

      # What no single value shows.
      def verify(layer)
        return unless layer.values[:check_client_connection]

        corked = layer.values.fetch(:listen).find { |address| address.options[:tcp_nopush] } or return
        raise ConfigError.new("check_client_connection cannot be combined with tcp_nopush (listen #{corked})", remedy: "Remove one of them")
      end
    end
  end
end
