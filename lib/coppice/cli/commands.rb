# frozen_string_literal: true

module Coppice
  class CLI
    # One command of `coppice`.
    #
    #   class_name         the class that runs it: `new(arguments)`, then `run`, which answers the exit status
    #   feature            what to require for that class
    #   summary            its line in the help; nil for an internal command
    #   loads_application  whether it loads the application in its own process, and so needs the application's bundle
    #   needs_channel      whether only a monitor starts it, with the number of its channel's descriptor as the argument
    Command = Struct.new(:name, :class_name, :feature, :summary, :loads_application, :needs_channel,
      keyword_init: true) do
      #: () -> Class
      def load
        require feature
        Coppice.const_get(class_name)
      end
    end

    # The command of a command line that names none.
    DEFAULT_COMMAND = "serve"

    # The only list of commands. The launcher reads it before the application's bundle is set up: this file requires
    # nothing.
    COMMANDS = [
      Command.new(name: "serve", class_name: "CLI::ServeCommand", feature: "coppice/cli/serve",
        summary: "serve the application of config.ru (the default command)"),
      Command.new(name: "check", class_name: "CLI::CheckCommand", feature: "coppice/cli/check",
        summary: "check the configuration without starting a server; --show prints every setting"),
      Command.new(name: "cold", class_name: "CLI::ColdCommand", feature: "coppice/cli/cold", loads_application: true,
        summary: "report what a cold worker has to load on its first request: [PATH …]"),
      Command.new(name: "memory", class_name: "CLI::MemoryCommand", feature: "coppice/cli/memory",
        summary: "show the memory that a server's processes use and share: [PID] [--watch] [--json] [--map FILE.svg]"),
      Command.new(name: "profile", class_name: "CLI::ProfileCommand", feature: "coppice/cli/profile",
        summary: "write the GC parameters that fit a running server: [PID] [--output FILE] [--print]"),
      Command.new(name: "help", class_name: "CLI::HelpCommand", feature: "coppice/cli/help",
        summary: "show this help, or that of an option or hook: coppice help timeout"),
      Command.new(name: "version", class_name: "CLI::VersionCommand", feature: "coppice/cli/help",
        summary: "show the version"),
      # What `serve` becomes with worker_processes 0.
      Command.new(name: "single", class_name: "Single", feature: "coppice/single", loads_application: true),
      Command.new(name: "mold", class_name: "Mold::ColdBoot", feature: "coppice/mold/cold_boot",
        loads_application: true, needs_channel: true)
    ].to_h { |command| [command.name, command.freeze] }.freeze
  end
end
