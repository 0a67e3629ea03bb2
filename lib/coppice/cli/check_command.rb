# frozen_string_literal: true

require "coppice/cli/effective_values"
require "coppice/cli/locked_gems"
require "coppice/cli/log_files"
require "coppice/cli/preset_report"
require "coppice/cli/server_settings"
require "coppice/cli/warnings"
require "coppice/config/loader"
require "coppice/config/options"
require "coppice/gc_profile/fit"
require "coppice/import/open_tasks"
require "coppice/mold_environment"
require "coppice/os/jit"
require "coppice/state"

module Coppice
  class CLI
    # `coppice check`: reads the configuration as `serve` does, in the same directory, and reports mistakes. Starts no
    # server, calls no hook and binds no address. Takes the flags of `serve`, --show, --strict, and --in for the release
    # of a roll.
    class CheckCommand
      #: (Array[String], ?output: IO, ?environment: Hash[String, String], ?directory: String) -> void
      def initialize(arguments, output: $stdout, environment: ENV, directory: Dir.pwd)
        @arguments = arguments
        @output = output
        @environment = environment
        @directory = directory
      end

      # Returns 0, or 1 where --strict is given and there is something to warn of. Raises ConfigError or UsageError.
      def run #: () -> Integer
        flags = Config::Arguments.parse(@arguments) do |parser|
          parser.on("--show") { @show = true }
          parser.on("--strict") { @strict = true }
          parser.on("--in DIR") { |name| @release = File.expand_path(name, @directory) }
        end
        settings, @directory = ServerSettings.load(flags, environment: @environment, directory: @directory)
        return check_release(settings) if @release

        @state = State.of(settings, environment: @environment, directory: @directory)
        variables = variables(settings)
        gems = LockedGems.of(@environment, @directory)
        tasks = open_tasks(settings, gems)
        warnings = tasks + warnings(settings)
        @output.puts verdict(settings, tasks), *warnings
        @output.puts "", table(settings, variables), *learned_paths(settings),
                     *PresetReport.new(settings, gems).lines if @show
        @strict && !warnings.empty? ? STATUS_ERROR : 0
      end

      private

      def check_release(settings)
        require "coppice/cli/check_release"
        release = CheckRelease.new(settings, arguments: serve_flags, environment: @environment.to_h)
        @output.puts release.lines(@release)
        0
      end

      # Without those of this command alone.
      def serve_flags
        index = @arguments.index("--in")
        words = index ? @arguments.take(index) + @arguments.drop(index + 2) : @arguments
        words.reject { |word| %w[--show --strict].include?(word) || word.start_with?("--in=") }
      end

      def open_tasks(settings, gems)
        return [] unless settings.config_text

        Import::OpenTasks.new(settings.config_text, file: settings.config_file, gems: gems.versions.keys).to_a
      end

      def warnings(settings)
        [*settings.notes, *Warnings.of(settings, @environment), *LogFiles.new(settings).warnings,
         *jit_warning(settings)]
      end

      def verdict(settings, tasks)
        return "#{settings.config_file} can be read, but has to be changed by hand:" unless tasks.empty?
        return "#{settings.config_file} is good" if settings.config_file

        "there is no configuration file (#{Config::Loader::DEFAULT_FILES.join(' or ')}); the defaults are good"
      end

      # `serve` leaves it to the mold, which may have another Ruby, or RUBYOPT, unlike the monitor.
      def jit_warning(settings)
        ["jit #{settings.jit.inspect}: this Ruby has no YJIT to turn on"] if OS::JIT.lacking?(settings.jit)
      end

      # The variables of a cold mold's environment; a single process gets none.
      def variables(settings)
        return [] if settings.single?

        kept = @state&.measurement { |*problem| not_used(*problem) } if settings.keeps_measurement?
        fitted = GCProfile::Fit.new(kept, price: settings.memory_price).variables if kept
        MoldEnvironment.new(settings, environment: @environment, directory: @directory, fitted: fitted,
                                      origin: GCProfile::MEASURED_BEFORE).variables
      end

      # The paths that :learned stands for at the next start.
      def learned_paths(settings)
        return [] unless settings.learns_paths?

        counts = @state&.paths { |*problem| not_used(*problem) } || {}
        paths = LearnedPaths.most_frequent(counts)
        return ["", "learned paths: none yet"] if paths.empty?

        width = ["learned path", *paths].map(&:size).max
        ["", "#{"learned path".ljust(width)}  requests", *paths.map { |path| "#{path.ljust(width)}  #{counts[path]}" }]
      end

      def not_used(file, reason)
        @output.puts "#{file} is not used: #{reason}"
      end

      def table(settings, variables)
        rows = [%w[setting value origin], *plain_rows(settings), *option_rows(settings, variables),
                *hook_rows(settings), *service_rows(settings), *variable_rows(variables)]
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
          text = text_of(option, value)
          effective_value = effective.of(option.name)
          text = "#{text} (#{effective_value})" if effective_value
          [option.name.to_s, text, settings.origin(option.name)]
        end
      end

      def hook_rows(settings)
        settings.hooks.compact.keys.map { |name| [name.to_s, "a block", settings.origin(name)] }
      end

      def service_rows(settings)
        settings.services.select(&:name).map do |service|
          name = "service #{service.name}"
          options = Config::SERVICE_OPTIONS.names.map { |option| "#{option}: #{service[option].inspect}" }
          [name, "a block, #{options.join(', ')}", settings.origin(name.to_sym)]
        end
      end

      def variable_rows(variables)
        return [] if variables.empty?

        rows = variables.map { |variable| [variable.name, variable.value, variable.origin] }
        [["", "", ""], %w[variable value origin], *rows]
      end

      # A logger or a block is shown by its class.
      def text_of(option, value)
        return value.join(" ") if value && Config::Settings::ADDRESSES.include?(option.name)
        return "a secret" if value && option.type.secret?

        text = value.inspect
        text.start_with?("#<") ? "a #{value.class}" : text
      end
    end
  end
end
