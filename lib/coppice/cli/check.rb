# frozen_string_literal: true

require "coppice/config/loader"
require "coppice/config/options"
require "coppice/memory/available_memory"
require "coppice/mold_environment"
require "coppice/monitor/worker_count"
require "coppice/os/processors"

module Coppice
  class CLI
    # `coppice check`: reads the configuration as `serve` does and reports mistakes. Starts no server, calls no hook and
    # binds no address. Takes the flags of `serve`, and --show.
    class CheckCommand
      #: (Array[String], ?output: IO, ?environment: Hash[String, String], ?directory: String) -> void
      def initialize(arguments, output: $stdout, environment: ENV, directory: Dir.pwd)
        @arguments = arguments
        @output = output
        @environment = environment
        @directory = directory
      end

      # Answers 0. Raises ConfigError or UsageError.
      def run #: () -> Integer
        flags = Config::Arguments.parse(@arguments) do |parser|
          parser.on("--show", "print every setting, its value and its origin") { @show = true }
        end
        settings = Config::Loader.new(arguments: flags, environment: @environment, directory: @directory).load
        variables = variables(settings)
        @output.puts verdict(settings)
        @output.puts "", table(settings, variables) if @show
        0
      end

      private

      def verdict(settings)
        return "#{settings.config_file} is good" if settings.config_file

        "there is no configuration file (#{Config::Loader::DEFAULT_FILES.join(' or ')}); the defaults are good"
      end

      # The variables of a cold mold's environment; a single process gets none.
      def variables(settings)
        return [] if settings.single?

        MoldEnvironment.new(settings, environment: @environment, directory: @directory).variables
      end

      def table(settings, variables)
        rows = [%w[setting value origin], *plain_rows(settings), *option_rows(settings, variables),
                *hook_rows(settings), *variable_rows(variables)]
        widths = [0, 1].map { |column| rows.map { |row| row[column].size }.max }
        rows.map { |row| "#{row[0].ljust(widths[0])}  #{row[1].ljust(widths[1])}  #{row[2]}".rstrip }
      end

      def plain_rows(settings)
        [["RACK_ENV", settings.environment_name, ""], ["rackup", settings.rackup, ""]]
      end

      def option_rows(settings, variables)
        effective = EffectiveValues.new(settings, variables)
        Config::OPTIONS.map do |option|
          value = settings.public_send(option.name)
          text = option.name == :listen ? value.join(" ") : described(value)
          effective_value = effective.of(option.name)
          text = "#{text} (#{effective_value})" if effective_value
          [option.name.to_s, text, settings.origin(option.name)]
        end
      end

      def hook_rows(settings)
        settings.hooks.compact.keys.map { |name| [name.to_s, "a block", settings.origin(name)] }
      end

      def variable_rows(variables)
        return [] if variables.empty?

        rows = variables.map { |variable| [variable.name, variable.value, variable.origin] }
        [["", "", ""], %w[variable value origin], *rows]
      end

      # A logger or a block is shown by its class.
      def described(value)
        text = value.inspect
        text.start_with?("#<") ? "a #{value.class}" : text
      end
    end

    # The effective value of a setting whose value leaves it open: :auto, or nil.
    class EffectiveValues
      #: (Config::Settings, Array[MoldEnvironment::Variable]) -> void
      def initialize(settings, variables)
        @settings = settings
        @variables = variables
      end

      # nil for a value that is effective as it is.
      #: (Symbol) -> String?
      def of(name)
        case @settings.public_send(name)
        when :auto then automatic(name)
        when nil then Config::OPTIONS[name].default_text.to_s[/\A(?:nil: )?(.+)/, 1] || "none"
        end
      end

      private

      def automatic(name)
        case name
        when :worker_processes then workers
        when :allocator then allocator
        when :refork_after then "when a refork pays"
        else "true"
        end
      end

      # Without the limit by memory: it depends on the size of the mold, which only a running server knows.
      def workers
        processors = OS::Processors.new.count
        total_kib = Memory::AvailableMemory.new.total_kib
        answer = Monitor::WorkerCount.new(processors: processors, memory_total_kib: total_kib).answer
        "#{answer.workers} for #{answer.grounds.fetch(:processors)} processors, fewer if memory is short"
      end

      def allocator
        preloaded = @variables.find { |variable| variable.name == MoldEnvironment::PRELOAD }
        preloaded ? preloaded.value : "the system's"
      end
    end
  end
end
