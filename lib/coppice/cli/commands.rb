# frozen_string_literal: true

require_relative "../control/verbs"
require_relative "command"

module Coppice
  class CLI
    # The command of a command line that names none.
    DEFAULT_COMMAND = "serve"

    # What tells a running server from others of this user.
    BY_PID = { "--pid PID" => "the server with this monitor, if this user runs several" }.freeze
    BY_SOCKET = { "--socket PATH" => "the server with this control socket, such as one of another container" }.freeze
    private_constant :BY_PID, :BY_SOCKET

    # A command for each verb of a running server.
    VERB_COMMANDS = Control::VERBS.each_value.reject(&:descriptors).map do |verb|
      status = { "--json" => "print one JSON object" } if verb.name == "status"
      Command.new(name: verb.name, class_name: "CLI::#{Control.command_class(verb)}",
        feature: status ? "coppice/cli/status_command" : "coppice/cli/control_command",
        flags: { **BY_PID, **BY_SOCKET, **status.to_h, **verb.switches }, **verb.description)
    end
    private_constant :VERB_COMMANDS

    # The only list of commands. The launcher reads it before the application's bundle is set up, by its path, and so
    # this file requires nothing but the table of verbs and the class of its rows.
    COMMANDS = [
      Command.new(name: "serve", class_name: "CLI::ServeCommand", feature: "coppice/cli/serve_command",
        takes_serve_flags: true, words: "[config.ru]",
        summary: "serve the application of config.ru (the default command)"),
      Command.new(name: "check", class_name: "CLI::CheckCommand", feature: "coppice/cli/check_command",
        takes_serve_flags: true, words: "[config.ru]",
        flags: { "--show" => "print every setting, its value and its origin",
                 "--strict" => "exit with status 1 if there is something to warn of",
                 "--in DIR" => "check that a roll to the release in DIR can begin" },
        summary: "check the configuration without starting a server"),
      Command.new(name: "cold", class_name: "CLI::ColdCommand", feature: "coppice/tools/cli/cold_command",
        loads_application: true, takes_serve_flags: true, words: "[PATH …] [config.ru]",
        flags: { "--top N" => "show N rows of each list (default: 8)",
                 "--json" => "print one JSON document with complete lists",
                 "--host HOST" => "send requests to this host (default: localhost)",
                 "--header HEADER" => "send this header ('Name: value') with each request; may be repeated" },
        summary: "report what a cold worker has to load on its first request",
        about: "Loads the application, plays each PATH (default: /) twice with GET in a fork of it, and reports " \
               "files, templates, methods, retained objects, private memory and time. Measure with -E production. " \
               "The block of warm_up_requests is called first, and may log in: its cookies are sent. " \
               "The application's output goes to standard error."),
      Command.new(name: "doctor", class_name: "CLI::DoctorCommand", feature: "coppice/tools/cli/doctor_command",
        loads_application: true, takes_serve_flags: true, words: "[PATH …] [config.ru]",
        flags: { "--strict" => "exit with status 1 if it needs care",
                 "--all" => "print the rows of all libraries that Coppice knows, also of those that need nothing",
                 "--json" => "print one JSON document",
                 "--host HOST" => "send requests to this host (default: localhost)",
                 "--header HEADER" => "send this header ('Name: value') with each request; may be repeated",
                 "--limit SECONDS" => "give up a step that takes longer (default: 120)" },
        summary: "find what does not survive a fork",
        about: "Loads the application, and forks three generations of molds and workers as a server does, with GET " \
               "requests for each PATH in each of them (default: warm_up_requests, or /). Reports what does not " \
               "survive a fork, and what to do. The block of warm_up_requests may log in: its cookies are sent. " \
               "Exits with status 0 if the application is ready or needs care, and with 1 if it is not safe. The " \
               "application's output and log go to standard error."),
      *VERB_COMMANDS,
      Command.new(name: "run", class_name: "CLI::RunCommand", feature: "coppice/cli/run_command",
        takes_program: true, words: ["PROGRAM [ARG …]", "-e CODE [ARG …]"],
        flags: { **BY_PID, **BY_SOCKET, "--fallback" => "start PROGRAM as usual where no server runs",
                 "-e CODE" => "run this Ruby code" },
        summary: "run a Ruby program in a fork of the warm application"),
      Command.new(name: "console", class_name: "CLI::ConsoleCommand", feature: "coppice/cli/console_command",
        takes_program: true, words: "[ARG …]", flags: { **BY_PID, **BY_SOCKET },
        summary: "open a console in a fork of the warm application"),
      Command.new(name: "binstub", class_name: "CLI::BinstubCommand", feature: "coppice/cli/binstub_command",
        words: "[NAME …]", flags: { "--remove" => "take the lines for it out again" },
        summary: "let bin/rails and bin/rake run in such forks with COPPICE_RUN=1"),
      Command.new(name: "memory", class_name: "CLI::MemoryCommand", feature: "coppice/tools/cli/memory_command",
        words: "[PID]",
        flags: { **BY_PID, "--watch" => "show it every two seconds, until the server exits",
                 "--json" => "print one JSON object", "--map FILE" => "draw every page into this file, as SVG" },
        summary: "show the memory that a server's processes use and share"),
      Command.new(name: "top", class_name: "CLI::TopCommand", feature: "coppice/tools/cli/top_command", words: "[PID]",
        flags: { **BY_PID, "--interval SECONDS" => "time between two looks (default: 2)",
                 "--once" => "print one table" },
        summary: "watch a running server in the terminal"),
      Command.new(name: "profile", class_name: "CLI::ProfileCommand", feature: "coppice/tools/cli/profile_command",
        words: "[PID]",
        flags: { **BY_PID, "--output FILE" => "write into this file (default: config/coppice.gc)",
                 "--memory-price N" => "fit them for this memory_price", "--print" => "print them, and write no file" },
        summary: "write the GC parameters that fit a running server"),
      Command.new(name: "import", class_name: "CLI::ImportCommand", feature: "coppice/tools/cli/import_command",
        words: "[FILE]",
        flags: { "-o, --output FILE" => "write into this file (default: config/coppice.rb); - prints it",
                 "--force" => "replace a file that exists" },
        summary: "translate config/puma.rb or config/unicorn.rb"),
      Command.new(name: "completion", class_name: "CLI::CompletionCommand", feature: "coppice/cli/completion_command",
        words: "bash|zsh", summary: "print the completion of these commands for a shell"),
      Command.new(name: "help", class_name: "CLI::HelpCommand", feature: "coppice/cli/help_command", words: "[NAME]",
        summary: "show this help, or that of a command, an option or a hook: coppice help timeout"),
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
