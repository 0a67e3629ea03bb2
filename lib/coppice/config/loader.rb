# frozen_string_literal: true

require "coppice/config/arguments"
require "coppice/config/combinations"
require "coppice/config/config_file"
require "coppice/config/environment"
require "coppice/config/listen_hosts"
require "coppice/config/listen_options_of_file"
require "coppice/config/replaced_addresses"
require "coppice/config/settings"
require "coppice/config/source_values"

module Coppice
  module Config
    # Builds the Settings from all sources: flags over environment variables over the options line of config.ru over
    # the configuration file over defaults. Molds get the monitor's, and need none of this. Sets RACK_ENV in the
    # environment, so that the configuration file and all children see the chosen one; RAILS_ENV is its fallback.
    class Loader
      DEFAULT_FILES = %w[config/coppice.rb config/pitchfork.rb].freeze
      DEFAULT_RACKUP = "config.ru"

      # default_listen: the addresses to listen on where no source has any. settled: whether the process is in the
      # directory of its release, and stays there, whatever the file says.
      #: (?arguments: Arguments | Array[String], ?environment: Hash[String, String], ?directory: String,
      #    ?default_listen: Array[String]?, ?settled: bool) -> void
      def initialize(arguments: [], environment: ENV, directory: Dir.pwd, default_listen: nil, settled: false)
        @arguments = arguments.is_a?(Array) ? Arguments.parse(arguments) : arguments
        @default_listen = default_listen
        @environment = environment
        @directory = directory
        @settled = settled
      end

      # Raises ConfigError, or UsageError for a flag.
      def load #: () -> Settings
        embedded = embedded_arguments
        named = environment_name(embedded)
        @environment["RACK_ENV"] = name = named || ListenHosts::DEVELOPMENT
        flags = embedded.ruby_flags + @arguments.ruby_flags
        flags.apply_load_paths
        file = read_file(embedded)
        hosts = ListenHosts.new(named)
        merged = merge(file, embedded, hosts)
        notes = notes(file, merged, hosts)
        merged = with_cold_timeout(with_values(merged, listen: hosts.resolve(merged.values.fetch(:listen))))
        Combinations.new(merged, file.services).verify
        Settings.new(values: merged.values, origins: merged.origins, hooks: file.hooks, services: file.services.values,
          ruby_flags: flags, notes: file.notes + notes, config_file: file.file, config_text: file.text,
          rackup: rackup, environment_name: name)
      end

      private

      def rackup
        @arguments.rackup || DEFAULT_RACKUP
      end

      # The flags of the line "#\ -p 3000" in config.ru: rackup's way to keep flags beside the application.
      def embedded_arguments
        path = absolute(rackup)
        return Arguments.parse([]) unless path.end_with?(".ru") && File.readable?(path)

        line = File.foreach(path).find { |text| text.start_with?("#\\") }
        Arguments.parse(line.to_s.delete_prefix("#\\").split)
      rescue UsageError => error
        raise ConfigError.new(error.message, reason: error.reason, file: rackup)
      end

      def environment_name(embedded)
        from_variables = @environment.values_at("RACK_ENV", "RAILS_ENV")
        names = [@arguments.environment_name, *from_variables, embedded.environment_name]
        names.find { |name| !name.to_s.empty? }
      end

      def read_file(embedded)
        file = @arguments.config_file || embedded.config_file || default_file
        return FileValues.new.freeze unless file

        refuse_missing(file) unless File.exist?(absolute(file))
        ConfigFile.read(file, directory: @directory, starting: !@settled)
      end

      # A file that was read where the command was started may be missing in the directory that it names.
      def refuse_missing(file)
        unless @settled && absolute(file) != file
          raise ConfigError.new("there is no such file", file: file, remedy: "Give the right one with -c")
        end

        raise ConfigError.new("there is no such file in #{@directory}", file: file,
          remedy: "Put it there, or give its absolute path with -c")
      end

      def absolute(path)
        File.expand_path(path, @directory)
      rescue ArgumentError => error # an unknown user after the tilde
        raise ConfigError.new(error.message, file: path)
      end

      def default_file
        DEFAULT_FILES.find { |name| File.exist?(File.join(@directory, name)) }
      end

      def merge(file, embedded, hosts)
        host = hosts.default
        environment = Environment.new(@environment)
        port = environment.port || Arguments::DEFAULT_PORT
        files = in_config_ru(embedded.source_values(host: host)).over(file)
        variables = environment.source_values(files, host: host)
        variables = variables.without(file.values.keys) unless file.replaceable?
        flags = @arguments.source_values(host: host, port: port)
        with_listen_options(flags.over(variables).over(files).over(default_listen(host)), file, hosts)
      end

      def default_listen(host)
        addresses = @default_listen || ["#{host}:#{Arguments::DEFAULT_PORT}"]
        SourceValues.of(listen: [addresses.map { |address| Listeners::Address.parse(address) }.freeze, "default"])
      end

      def in_config_ru(source)
        SourceValues.new(source.values, source.origins.transform_values { |origin| "#{rackup} (#{origin})" })
      end

      # An address of a flag or a variable has no options: it has those of the file.
      def with_listen_options(merged, file, hosts)
        options = ListenOptionsOfFile.new(file, hosts)
        addresses = hosts.name(merged.values.fetch(:listen))
        with_values(merged, listen: addresses.map { |address| options.given_to(address) })
      end

      def with_values(merged, **values) = SourceValues.new(merged.values.merge(values), merged.origins)

      # Only the default is longer in cold workers: a limit that somebody has chosen holds for all.
      def with_cold_timeout(merged)
        return merged if merged.values.key?(:timeout) || merged.values[:timeout_cold]

        with_values(merged, timeout_cold: Settings::DEFAULT_COLD_TIMEOUT)
      end

      def notes(file, merged, hosts)
        open = hosts.notes(merged.values.fetch(:listen)).map { |text| "#{merged.origins[:listen]}: #{text}" }
        open + ReplacedAddresses.notes(file, merged) + ListenOptionsOfFile.new(file, hosts).notes(merged)
      end
    end
  end
end
