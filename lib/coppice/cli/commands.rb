# frozen_string_literal: true

require_relative "../control/verbs"
require_relative "command"

module Coppice
  class CLI
    # The command of a command line that names none.
    DEFAULT_COMMAND = "serve"

    # A command for each verb of a running server.
    VERB_COMMANDS = Control::VERBS.each_value.reject(&:descriptors).map do |verb|
      Command.new(name: verb.name, class_name: "CLI::#{Control.command_class(verb)}", summary: verb.help,
        feature: verb.name == "status" ? "coppice/cli/status_command" : "coppice/cli/control_command",
        flags: ["--pid", "--socket", *("--json" if verb.name == "status"), *verb.switches])
    end
    private_constant :VERB_COMMANDS

    # The only list of commands. The launcher reads it before the application's bundle is set up, by its path, and so
    # this file requires nothing but the table of verbs and the class of its rows.
    COMMANDS = [
      Command.new(name: "serve", class_name: "CLI::ServeCommand", feature: "coppice/cli/serve_command",
        takes_serve_flags: true, summary: "serve the application of config.ru (the default command)"),
      Command.new(name: "check", class_name: "CLI::CheckCommand", feature: "coppice/cli/check_command",
        takes_serve_flags: true, flags: %w[--show --in],
        summary: "check the configuration without starting a server; --show prints every setting; --in DIR checks " \
                 "the release for a roll"),
      Command.new(name: "cold", class_name: "CLI::ColdCommand", feature: "coppice/cli/cold_command",
        loads_application: true, takes_serve_flags: true, flags: %w[--host --top --json],
        summary: "report what a cold worker has to load on its first request: [PATH …]"),
      Command.new(name: "doctor", class_name: "CLI::DoctorCommand", feature: "coppice/cli/doctor_command",
        loads_application: true, takes_serve_flags: true, flags: %w[--host --limit --json --strict],
        summary: "find what does not survive a fork: [PATH …]"),
      *VERB_COMMANDS,
      Command.new(name: "run", class_name: "CLI::RunCommand", feature: "coppice/cli/run_command",
        flags: %w[--pid --socket --fallback -e],
        summary: "run a Ruby program in a fork of the warm application: PROGRAM [ARG …] | -e CODE [ARG …]"),
      Command.new(name: "console", class_name: "CLI::ConsoleCommand", feature: "coppice/cli/console_command",
        flags: %w[--pid --socket], summary: "open a console in a fork of the warm application"),
      Command.new(name: "binstub", class_name: "CLI::BinstubCommand", feature: "coppice/cli/binstub_command",
        flags: %w[--remove], summary: "let bin/rails and bin/rake run in such forks with COPPICE_RUN=1: [NAME …]"),
      Command.new(name: "memory", class_name: "CLI::MemoryCommand", feature: "coppice/cli/memory_command",
        flags: %w[--pid --watch --json --map],
        summary: "show the memory that a server's processes use and share: [PID] [--watch] [--json] [--map FILE.svg]"),
      Command.new(name: "top", class_name: "CLI::TopCommand", feature: "coppice/cli/top_command",
        flags: %w[--pid --interval --once],
        summary: "watch a running server in the terminal: [PID] [--interval SECONDS] [--once]"),
      Command.new(name: "profile", class_name: "CLI::ProfileCommand", feature: "coppice/cli/profile_command",
        flags: %w[--pid --output --print],
        summary: "write the GC parameters that fit a running server: [PID] [--output FILE] [--print]"),
      Command.new(name: "import", class_name: "CLI::ImportCommand", feature: "coppice/cli/import_command",
        flags: %w[--output --force],
        summary: "translate config/puma.rb or config/unicorn.rb: [FILE] [--output FILE | -] [--force]"),
      Command.new(name: "completion", class_name: "CLI::CompletionCommand", feature: "coppice/cli/completion_command",
        summary: "print the completion of these commands for a shell: bash or zsh"),
      Command.new(name: "help", class_name: "CLI::HelpCommand", feature: "coppice/cli/help_command",
        summary: "show this help, or that of an option or hook: coppice help timeout"),
      Command.new(name: "version", class_name: "CLI::VersionCommand", feature: "coppice/cli/version_command",
        summary: "show the version"),
      # What `serve` becomes with worker_processes 0.
      Command.new(name: "single", class_name: "CLI::SingleCommand", feature: "coppice/cli/single_command",
        loads_application: true),
      Command.new(name: "observer", class_name: "Observer", feature: "coppice/observer", needs_channel: true),
      Command.new(name: "mold", class_name: "Mold::ColdBoot", feature: "coppice/mold/cold_boot",
        loads_application: true, needs_channel: true)
    ].to_h { |command| [command.name, command.freeze] }.freeze
  end
end
