# frozen_string_literal: true

require "coppice/cli/commands"
require "coppice/coppice_ext"
require "coppice/errors"
require "coppice/log/plain_line"

module Coppice
  # The command line: finds the command and runs it. Each command's code is loaded only when the command runs.
  class CLI
    # Commands that read processes in /proc, talk to a monitor, or fork.
    LINUX_ONLY = ["cold", "console", "memory", "profile", "top", *Control::VERBS.keys].freeze

    STATUS_ERROR = 1
    STATUS_USAGE = 2
    STATUS_INTERRUPTED = 130 # as a shell has it

    # Runs the command and ends the process with its status.
    #: (Array[String]) -> bot
    def self.run(arguments)
      exit(new(arguments).run)
    end

    # Whether these arguments ask for a server.
    #: (Array[String]) -> bool
    def self.serving?(arguments)
      new(arguments).command_name == "serve"
    end

    #: (Array[String], ?error: IO) -> void
    def initialize(arguments, error: $stderr)
      @arguments = arguments
      @error = error
    end

    # Runs the command and returns its exit status. Reports a Coppice::Error in one line; any other exception is a bug
    # and passes.
    def run #: () -> Integer
      arguments = command_given? ? @arguments.drop(1) : @arguments
      refuse_invalid(arguments) unless COMMANDS[command_name]&.takes_program # whose arguments may be any bytes
      requested = command_of_flags(arguments) if command_name == "serve"
      return run_command(requested, []) if requested

      run_command(command_name, arguments)
    rescue UsageError => error
      report(error, STATUS_USAGE)
    rescue Bug
      raise
    rescue Error => error
      report(error, STATUS_ERROR)
    end

    # The first argument when it is a command, else the default.
    def command_name #: () -> String
      command_given? ? @arguments.first : DEFAULT_COMMAND
    end

    private

    # To match such a text raises ArgumentError, here and in OptionParser.
    def refuse_invalid(arguments)
      invalid = arguments.find { |word| !word.valid_encoding? } or return
      raise UsageError, "the argument #{invalid.inspect} is not in #{invalid.encoding}"
    end

    def run_command(name, arguments)
      command = command(name)
      return show_help(command) if command.summary && command.asked_about?(arguments)
      raise Error, "coppice #{name} needs Linux" if LINUX_ONLY.include?(name) && !OS.supervises?

      status = command.load.new(arguments).run
      status.is_a?(Integer) ? status : 0
    end

    def show_help(command)
      require "coppice/cli/command_help"
      $stdout.puts CommandHelp.new(command).text
      0
    end

    def command(name)
      command = COMMANDS[name] or raise UsageError, unknown(name)
      return command unless command.needs_channel

      raise UsageError, "#{name} is an internal command: the server starts it. coppice help lists all commands"
    end

    def unknown(name)
      require "coppice/config/suggestion"
      remedy = Config::Suggestion.sentence(name, COMMANDS.keys) || "coppice help lists all commands"
      "unknown command #{name}. #{remedy}"
    end

    # The command that -h or -v among the flags of `serve` asks for. The flags are parsed before anything of the server
    # is loaded, so a mistake in them is reported at once.
    def command_of_flags(arguments)
      require "coppice/config/arguments"
      flags = Config::Arguments.parse(arguments)
      flags.notes.each { |note| @error.puts Log::PlainLine.of(note, level: :warn, io: @error) }
      return "help" if flags.help?

      "version" if flags.version?
    end

    # A bare word is a command, known or not, but an unknown one that is a file's name is a rackup file. So is anything
    # with a dot or a slash: `./stop` where a file has the name of a command.
    def command_given?
      word = @arguments.first or return false
      COMMANDS.key?(word) || (word.b.match?(/\A[a-z][\w-]*\z/) && !File.file?(word))
    end

    def report(error, status)
      @error.puts Log::PlainLine.of(error.message, io: @error)
      status
    end
  end
end
