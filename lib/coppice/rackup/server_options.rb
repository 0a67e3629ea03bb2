# frozen_string_literal: true

require "coppice/config/arguments"
require "coppice/config/listen_hosts"

module Coppice
  module Rackup
    # The options that `rackup`, `rails server` or a program passes to a Rack handler, as flags of `coppice`. Only those
    # that the user typed become flags, because flags override the configuration file.
    class ServerOptions
      # `rackup` has a number as its default; a port that the user types is a String.
      RACKUP_PORT = 9292

      # Environments of developers: one process with threads serves the application that is loaded.
      LOCAL = %w[development test].freeze

      # Ruby's flags, which rackup has applied in its own process only.
      RUBY_FLAGS = { debug: "-d", warn: "-w" }.freeze
      RUBY_LISTS = { include: "-I", require: "-r" }.freeze

      # Loaded before Rails in the process that loads it again: what --log-to-stdout does.
      STDOUT_LOG = "coppice/rails/stdout_log"

      #: (Hash[Symbol, untyped]) -> void
      def initialize(options)
        @options = options
      end

      # The flags, and the rackup file.
      #: () -> Array[String]
      def arguments
        [*named, *ruby_flags, *address_flags, *catalogue_flags, *pidfile, *rackup_file]
      end

      # Ruby's own flags among them: a process that has been replaced needs them again.
      #: () -> Array[String]
      def ruby_flags
        simple = RUBY_FLAGS.filter_map { |name, flag| flag if @options[name] }
        lists = RUBY_LISTS.flat_map { |name, flag| Array(@options[name]).flat_map { |value| [flag, value] } }
        [*simple, *lists, *(["-r", STDOUT_LOG] if @options[:log_stdout])]
      end

      # Where the server listens if neither the user nor the configuration file says so.
      #: () -> Array[String]
      def default_listen = [address(default_host, @options[:Port] || Config::Arguments::DEFAULT_PORT)]

      #: () -> String
      def environment_name = given_environment || LOCAL.first

      # Whether the application that is loaded is served, by this process.
      #: () -> bool
      def local? = LOCAL.include?(environment_name)

      # The file that another process can load the application from. None where a program has passed the application.
      #: () -> String?
      def rackup_file
        file = @options[:config]
        file if file && !@options[:app] && !@options[:builder] && File.file?(file)
      end

      # The directory to go back to: Rack 2 leaves it for / when it makes a daemon. nil for none.
      #: (?String) -> String?
      def directory_left(current = Dir.pwd)
        File.dirname(rackup_file) if current == "/" && daemonize? && rackup_file
      end

      # The command that starts `rails server` again as the user started it.
      #: () -> String?
      def restart_command = @options[:restart_cmd]

      #: () -> bool
      def daemonize? = !!@options[:daemonize]

      # Whether rackup or Rails writes a pidfile, and removes it.
      #: () -> bool
      def pidfile? = !@options[:pid].nil?

      private

      # Rails and rackup always name one; a program may not.
      def given_environment
        name = [@options[:environment], *ENV.values_at("RACK_ENV", "RAILS_ENV")].compact.first.to_s
        name unless name.empty?
      end

      def named = given_environment ? ["-E", given_environment] : []

      # A port that PORT names is left to the configuration, which may name the same port with options of its own.
      def address_flags
        return [] unless typed?(:Host) || (typed?(:Port) && @options[:Port].to_s != ENV["PORT"])

        host = @options[:Host] || default_host
        return ["-b", host] unless host.match?(Config::Arguments::HOST)

        ["-l", address(host.delete("[]"), @options.fetch(:Port, Config::Arguments::DEFAULT_PORT))]
      end

      def address(host, port) = host.include?(":") ? "[#{host}]:#{port}" : "#{host}:#{port}"

      def default_host = Config::ListenHosts.new(given_environment).default

      # Rails names what was typed; of others we know their defaults.
      def typed?(name)
        typed = @options[:user_supplied_options]
        return typed.include?(name) && !(name == :Host && only_in_environment?) if typed

        @options.key?(name) && @options[name] != (name == :Port ? RACKUP_PORT : default_host)
      end

      # Rails takes a host for typed where the variable HOST is set, which it does not read otherwise.
      def only_in_environment? = ENV.key?("HOST") && !ENV.key?("BINDING") && @options[:Host] == default_host

      # Options of Coppice by their names, such as `rackup -O timeout=5`.
      def catalogue_flags
        Config::OPTIONS.select(&:flag).filter_map do |option|
          value = @options[option.name]
          next if value.nil?

          option.type.switch? ? switch(option, value) : "#{option.flag}=#{value}"
        end
      end

      def switch(option, value)
        [true, "true"].include?(value) ? option.flag : option.flag.sub("--", "--no-")
      end

      # Only this much: `rackup` has written the file already, and removes it unless the process is replaced.
      def pidfile = pidfile? ? ["--pidfile=#{@options[:pid]}"] : []
    end
  end
end
