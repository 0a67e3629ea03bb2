# frozen_string_literal: true

require "coppice/cli/cable_adapter"
require "coppice/cli/locked_gems"
require "coppice/cli/log_files"
require "coppice/cli/preset_report"
require "coppice/cli/server_settings"
require "coppice/cli/settings_table"
require "coppice/cli/warnings"
require "coppice/config/loader"
require "coppice/control/table"
require "coppice/gc_profile/fit"
require "coppice/tools/import/open_tasks"
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
        @started_with = @environment.to_h
        settings, @directory = ServerSettings.load(parse_flags, environment: @environment, directory: @directory)
        @release ? check_release(settings) : check(settings)
      end

      private

      def parse_flags
        Config::Arguments.parse(@arguments) do |parser|
          parser.on("--show") { @show = true }
          parser.on("--strict") { @strict = true }
          parser.on("--in DIR") { |name| @release = File.expand_path(name, @directory) }
        end
      end

      def check(settings)
        @state = State.of(settings, environment: @environment, directory: @directory)
        variables = variables(settings)
        gems = LockedGems.of(@environment, @directory)
        tasks = open_tasks(settings, gems)
        warnings = tasks + warnings(settings)
        @output.puts verdict(settings, tasks), *warnings, *plain_queue(settings)
        show(settings, variables, gems) if @show
        @strict && !warnings.empty? ? STATUS_ERROR : 0
      end

      def show(settings, variables, gems)
        @output.puts "", SettingsTable.new(settings, variables).lines, *learned_paths(settings),
          *PresetReport.new(settings, gems).lines
      end

      def check_release(settings)
        require "coppice/cli/check_release"
        release = CheckRelease.new(settings, arguments: serve_flags, environment: @started_with)
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
        [*settings.notes, *Warnings.new(settings, @environment), *LogFiles.new(settings).warnings,
         *CableAdapter.new(settings, @environment, @directory).warning, *jit_warning(settings)]
      end

      def verdict(settings, tasks)
        return "#{settings.config_file} can be read, but has to be changed by hand:" unless tasks.empty?
        return "#{settings.config_file} is good" if settings.config_file

        "there is no configuration file (#{Config::Loader::DEFAULT_FILES.join(' or ')}); the defaults are good"
      end

      # No warning: who sets `lobby: false` wants it so.
      def plain_queue(settings)
        direct = settings.listen.reject(&:lobby?)
        return [] if direct.empty? || settings.single?

        ["without the lobby, clients of #{direct.join(", ")} wait in the order in which they came: one slow route " \
         "or client can take all workers"]
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

        ["", *Control::Table.lines([["learned path", "requests"], *paths.map { |path| [path, counts[path].to_s] }])]
      end

      def not_used(file, reason)
        @output.puts "#{file} is not used: #{reason}"
      end
    end
  end
end
