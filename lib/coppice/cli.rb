# frozen_string_literal: true

require "coppice/config/arguments"
require "coppice/errors"

module Coppice
  # The command line: finds the command and runs it. A command is a class with `new(words)` and `run`, which answers the
  # exit status; each is loaded only when it is called.
  class CLI
    # `summary` is nil for a command that is not for people.
    Command = Struct.new(:name, :class_name, :summary) do
      #: () -> Class
      def load
        require "coppice/#{class_name == :Single ? 'single' : "cli/#{name}"}"
        class_name == :Single ? Coppice::Single : CLI.const_get(class_name)
      end
    end

    COMMANDS = [
      Command.new("serve", :ServeCommand, "serve the application of config.ru (what happens without a command, too)").freeze,
      Command.new("check", :CheckCommand, "read the configuration and say whether it is good; --show prints every setting").freeze,
      Command.new("cold", :ColdCommand, "play paths in a fork of the application and say what made the first request slow").freeze,
      Command.new("memory", :MemoryCommand,
        "what the processes of a running server use and share: [PID] [--watch] [--json] [--map FILE.svg]").freeze,
      Command.new("profile", :ProfileCommand,
        "write the garbage collector's profile from what a running server has measured: [PID] [--output FILE] [--print]").freeze,
      Command.new("help", :HelpCommand, "show this help, or that of an option or hook: coppice help timeout").freeze,
      Command.new("version", :VersionCommand, "show the version").freeze,
      Command.new("single", :Single).freeze # what serve becomes for worker_processes 0
    ].to_h { |command| [command.name, command] }.freeze

    STATUS_ERROR = 1
    STATUS_USAGE = 2

    # Runs the command and ends the process with its status.
    #: (Array[String]) -> bot
    def self.run(words)
      exit(new(words).run)
    end

    # Whether these words ask for a server.
    #: (Array[String]) -> bool
    def self.serving?(words)
      new(words).command_name == "serve"
    end

    #: (Array[String], ?error: IO) -> void
    def initialize(words, error: $stderr)
      @words = words
      @error = error
    end

    # Runs the command. Reports what our own code complains of in one line; everything else is a bug and passes.
    def run #: () -> Integer
      words = explicit? ? @words.drop(1) : @words
      wanted = command_of_flags(words) if command_name == "serve"
      return run_command(wanted, []) if wanted

      run_command(command_name, words)
    rescue UsageError => error
      complain(error, STATUS_USAGE)
    rescue Bug
      raise
    rescue Error => error
      complain(error, STATUS_ERROR)
    end

    # The first word when it is one, else "serve".
    def command_name #: () -> String
      explicit? ? @words.first : "serve"
    end

    private

    def run_command(name, words)
      status = COMMANDS.fetch(name) { unknown }.load.new(words).run
      status.is_a?(Integer) ? status : 0
    end

    # The command that -h or -v among the flags of `serve` asks for. They are looked at before anything of the server
    # is loaded, and so is whatever is wrong with them.
    def command_of_flags(words)
      arguments = Config::Arguments.parse(words)
      arguments.notes.each { |note| @error.puts "coppice: #{note}" }
      return "help" if arguments.help?

      "version" if arguments.version?
    end

    # A bare word is a command, known or not; anything with a dot or a slash is a rackup file.
    def explicit?
      !@words.empty? && @words.first.match?(/\A[a-z][\w-]*\z/) && !File.file?(@words.first)
    end

    def unknown
      raise UsageError, "mold is not for people: a server starts its molds. coppice help lists all commands" if @words.first == "mold"

      near = Config::Suggestion.sentence(@words.first, COMMANDS.keys)
      raise UsageError, ["unknown command #{@words.first}", near || "coppice help lists all commands"].join(". ")
    end

    def complain(error, status)
      @error.puts "coppice: #{error.message}"
      status
    end
  end
end
