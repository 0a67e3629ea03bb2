# frozen_string_literal: true

require "coppice/cli/command_help"
require "coppice/cli/paragraph"
require "coppice/config/arguments"
require "coppice/config/hooks"
require "coppice/config/services"
require "coppice/config/suggestion"

module Coppice
  class CLI
    # `coppice help`: lists all commands and flags; with a name, describes an option, a hook or a command.
    class HelpCommand
      #: (Array[String], ?output: IO) -> void
      def initialize(arguments, output: $stdout)
        @topic = arguments.find { |argument| !argument.start_with?("-") }
        @output = output
      end

      # Returns 0. Raises UsageError for an unknown name.
      def run #: () -> Integer
        @output.puts @topic ? description(@topic.to_sym) : overview
        0
      end

      private

      def overview
        public_commands = COMMANDS.values.select(&:summary)
        width = public_commands.map { |command| command.name.size }.max + 2
        <<~TEXT
          Usage: coppice [serve] [flags] [config.ru]
                 coppice COMMAND [flags] [words]

          Commands (coppice COMMAND --help describes one):
          #{public_commands.map { |command| "  #{command.name.ljust(width)}#{command.summary}" }.join("\n")}

          #{Config::Arguments.summary}
        TEXT
      end

      def description(name)
        case name
        when *Config::OPTIONS.names then option(Config::OPTIONS[name])
        when *Config::HOOKS.names then hook(Config::HOOKS[name])
        when :service then service
        when *COMMANDS.keys.map(&:to_sym) then CommandHelp.new(COMMANDS[name.to_s]).text
        else raise UsageError, ["there is no option, hook or command #{name}", near(name)].compact.join(". ")
        end
      end

      def option(row)
        facts = { "Type" => row.type.description, "Default" => row.default_description, "Flag" => row.usage,
                  "Environment" => row.environment, "Scope" => row.scope }
        [Paragraph.of(row.doc), "", *facts.compact.map { |title, text| "#{title}: #{text}" }, "", row.example]
      end

      def hook(row)
        [Paragraph.of(row.doc), "", "Runs in: #{row.place}", "", row.example]
      end

      def service
        options = Config::SERVICE_OPTIONS.map do |option|
          type = option.type.description
          Paragraph.of("#{option.name}: #{type}; by default #{option.default_description}. #{option.doc}")
        end
        [Paragraph.of(Config::SERVICE_DOC), "", *options, "", Config::SERVICE_EXAMPLE]
      end

      def near(name)
        Config::Suggestion.sentence(name, Config::OPTIONS.names + Config::HOOKS.names + %i[service] + COMMANDS.keys)
      end
    end
  end
end
