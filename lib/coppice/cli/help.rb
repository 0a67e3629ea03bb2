# frozen_string_literal: true

require "coppice/config/arguments"
require "coppice/config/hooks"
require "coppice/version"

module Coppice
  class CLI
    # `coppice help`: lists all commands and flags; with a name, describes an option or a hook.
    class HelpCommand
      WIDTH = 78

      #: (Array[String], ?output: IO) -> void
      def initialize(arguments, output: $stdout)
        @topic = arguments.find { |argument| !argument.start_with?("-") }
        @output = output
      end

      # Answers 0. Raises UsageError for an unknown name.
      def run #: () -> Integer
        @output.puts @topic ? description(@topic.to_sym) : overview
        0
      end

      private

      def overview
        public_commands = COMMANDS.values.select(&:summary)
        <<~TEXT
          Usage: coppice [serve] [flags] [config.ru]
                 coppice check [--show] [flags] [config.ru]

          Commands:
          #{public_commands.map { |command| "  #{command.name.ljust(10)}#{command.summary}" }.join("\n")}

          #{Config::Arguments.summary}
        TEXT
      end

      def description(name)
        case name
        when *Config::OPTIONS.names then option(Config::OPTIONS[name])
        when *Config::HOOKS.names then hook(Config::HOOKS[name])
        else raise UsageError, ["there is no option or hook #{name}", near(name)].compact.join(". ")
        end
      end

      def option(row)
        facts = { "Type" => row.type.description, "Default" => row.default_description, "Flag" => row.usage,
                  "Environment" => row.environment, "Scope" => row.scope }
        [wrapped(row.doc), "", *facts.compact.map { |title, text| "#{title}: #{text}" }, "", row.example]
      end

      def hook(row)
        [wrapped(row.doc), "", "Runs in: #{row.place}", "", row.example]
      end

      def wrapped(text)
        text.gsub(/(.{1,#{WIDTH}})(?: |\z)/o, "\\1\n").chomp
      end

      def near(name)
        Config::Suggestion.sentence(name, Config::OPTIONS.names + Config::HOOKS.names)
      end
    end

    # `coppice version`: prints the versions of Coppice and Ruby.
    class VersionCommand
      #: (Array[String], ?output: IO) -> void
      def initialize(_arguments, output: $stdout)
        @output = output
      end

      def run #: () -> Integer
        @output.puts "coppice #{VERSION} (ruby #{RUBY_VERSION})"
        0
      end
    end
  end
end
