# frozen_string_literal: true

require "coppice/config/options"
require "coppice/config/ruby_flags"
require "coppice/config/source_values"
require "coppice/errors"

module Coppice
  module Config
    # A parsed command line: all flags of Pitchfork, one flag for each simple option of the catalogue, and one rackup
    # file. Parsing has no side effects. The library for it takes 0.9 MiB, and is loaded for those who give flags.
    class Arguments
      DEFAULT_PORT = 8080
      # A value of -b that is a host, as in Rails: a name or a numeric address. Anything else is an address with a
      # port, or one of Puma's URIs.
      HOST = /\A(?:[\w.-]+|(?=.*:.*:)\[?[\h:.]+(?:%\w+)?\]?)\z/.freeze
      REQUEST_PATH = %r{\A/(?!.*\.(?:ru|rb)\z)}

      attr_reader :config_file      #: String?
      attr_reader :environment_name #: String?
      attr_reader :rackup           #: String?
      attr_reader :paths            #: Array[String]  of requests, for a command that takes them
      attr_reader :notes            #: Array[String]  messages about flags that have no effect

      # Raises UsageError. A block gets the OptionParser, to add flags of its own. With `paths`, a word that begins
      # with a slash and does not end like a rackup file is the path of a request.
      #: (Array[String], ?paths: bool) ?{ (OptionParser) -> void } -> Arguments
      def self.parse(words, paths: false, &more)
        new.parse(words, paths: paths, &more)
      end

      # The flags with their descriptions, as `--help` shows them.
      def self.summary #: () -> String
        new.parser.summarize.join
      end

      def initialize
        @values = {}
        @listen = []
        @paths = []
        @ruby_flags = []
        @notes = []
        @help = @version = false
      end

      def parse(words, paths: false) #: (Array[String], ?paths: bool) ?{ (OptionParser) -> void } -> self
        return freeze if words.empty? && !block_given?

        parser = self.parser
        yield parser if block_given?
        refuse_number_of_workers(words)
        @paths, rackups = parser.words(words).partition { |word| paths && word.match?(REQUEST_PATH) }
        if rackups.size > 1
          raise UsageError, "one rackup file is enough, but there are #{rackups.size}: #{rackups.join(' ')}"
        end

        @rackup = rackups.first
        freeze
      end

      def help? #: () -> bool
        @help
      end

      def version? #: () -> bool
        @version
      end

      def ruby_flags #: () -> RubyFlags
        RubyFlags.new(@ruby_flags)
      end

      # The values that flags set. `port` is where -o listens without -p, `host` where -p listens without -o.
      #: (host: String, ?port: Integer) -> SourceValues
      def source_values(host:, port: DEFAULT_PORT)
        addresses = @listen + host_and_port(host, port)
        return SourceValues.of(@values) if addresses.empty?

        listen = Types::Addresses.new.check(addresses.map(&:last))
        SourceValues.of(@values.merge(listen: [listen, "flag #{addresses.first.first}"]))
      rescue InvalidValue => error
        flags = addresses.map(&:first).uniq.join(", ")
        raise UsageError.new("#{flags} #{error.message}", reason: "#{flags} #{error.reason}")
      end

      # The parser that fills this object.
      def parser #: () -> OptionParser
        require "coppice/config/flag_parser"
        FlagParser.new(nil, 34, "  ") do |parser|
          ruby_options(parser)
          server_options(parser)
          catalogue_options(parser)
          common_options(parser)
        end
      end

      private

      # As Puma's flag has it. The number would count as a rackup file.
      def refuse_number_of_workers(words)
        _, number = words.each_cons(2).find { |flag, word| flag == "-w" && word.match?(/\A\d+\z/) }
        raise UsageError, "-w turns Ruby's warnings on. For a number of workers: --workers #{number}" if number
      end

      def ruby_options(parser)
        parser.separator "Ruby:"
        ruby(parser, :eval, "-e", "--eval LINE", "run a LINE of code before the application is loaded")
        ruby(parser, :debug, "-d", "--debug", "set $DEBUG")
        ruby(parser, :warn, "-w", "--warn", "turn Ruby's warnings on")
        ruby(parser, :include, "-I", "--include PATH", "put PATH on the load path")
        ruby(parser, :require, "-r", "--require LIBRARY", "require LIBRARY before the application is loaded")
      end

      def ruby(parser, kind, *definition)
        parser.on(*definition) { |value| @ruby_flags << [kind, (value if value.is_a?(String))] }
      end

      def server_options(parser)
        parser.separator "\nServer:"
        parser.on("-c", "--config-file FILE", "read FILE, not config/coppice.rb or config/pitchfork.rb") do |file|
          @config_file = file
        end
        parser.on("-E", "--env RACK_ENV", "set RACK_ENV (default: development)") { |name| @environment_name = name }
        address_options(parser)
        parser.on("-s", "--server NAME", "ignored, as rackup has it") { @notes << "-s is ignored: this is Coppice" }
      end

      def address_options(parser)
        parser.on("-l", "--listen ADDRESS", "listen on HOST:PORT or PATH; may be repeated") do |text|
          @listen << ["-l", text]
        end
        parser.on("-o", "--host HOST", "listen on HOST (default: 0.0.0.0; in development localhost)") do |host|
          @host = ["-o", host]
        end
        parser.on("-b", "--bind ADDRESS", "listen on HOST (Rails), tcp://HOST:PORT or unix:///PATH (Puma)") do |text|
          bind(text)
        end
        parser.on("-p", "--port PORT", "listen on PORT (default: #{DEFAULT_PORT})") do |text|
          @port = checked("-p", Types::Whole.new(minimum: 0), text)
        end
      end

      def catalogue_options(parser)
        parser.separator "\nOptions (described in docs/configuration.md; the configuration file has the same names):"
        OPTIONS.select(&:flag).each do |option|
          parser.on(option.usage, option.summary) { |value| set(option, value) }
        end
      end

      def common_options(parser)
        parser.separator "\nCommon:"
        parser.on("-h", "--help", "show this help") { @help = true }
        parser.on("-v", "--version", "show the version") { @version = true }
      end

      def set(option, value)
        value = checked(option.flag, option.type, value) unless option.type.switch?
        @values[option.name] = [value, "flag #{option.flag}"]
      end

      def checked(flag, type, text)
        type.parse(text)
      rescue InvalidValue => error
        raise UsageError.new("#{flag} #{error.message}", reason: "#{flag} #{error.reason}")
      end

      def bind(text)
        return @host = ["-b", text] if text.match?(HOST)
        if text.include?("?")
          raise UsageError, "-b #{text}: set options of an address in the configuration file (coppice help listen)"
        end

        @listen << ["-b", text.sub(%r{\A(?:tcp:|(unix:))//}, "\\1")]
      end

      # Flag and text of the address that -o (or -b) and -p form together.
      def host_and_port(host, port)
        return [] unless @host || @port

        flag, host = @host || ["-p", host]
        host = "[#{host}]" if host.include?(":") && !host.start_with?("[")
        [[@port ? "-p" : flag, "#{host}:#{@port || port}"]]
      end
    end
  end
end
