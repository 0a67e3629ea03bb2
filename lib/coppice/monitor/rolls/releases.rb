# frozen_string_literal: true

require "coppice/config/arguments"
require "coppice/config/loader"
require "coppice/config/settings_change"
require "coppice/monitor/kernel/working_directory"
require "coppice/release"
require "coppice/release/loaded_files"
require "coppice/release/release_check"
require "coppice/release/release_variables"

module Coppice
  class Monitor
    # Finds the releases that the server may roll to, and reads their configurations; and makes the monitor's process
    # one of the release that is committed. Keeps what the server was started with: its flags, its variables and its
    # directory.
    class Releases
      EVALUATION_SECONDS = 10 # maximum for a configuration file: meanwhile the monitor does nothing else

      attr_reader :first #: Release
      attr_reader :name  #: String -- of the directory where a roll finds the next release, perhaps a symlink

      # first: the release that the server begins with. arguments: the flags. environment: the variables before the
      # configuration was evaluated.
      #: (Release, arguments: Array[String], environment: Hash[String, String], ?knowledge: Knowledge?, ?log: Log?,
      #    ?evaluation_seconds: Numeric) -> void
      def initialize(first, arguments:, environment:, knowledge: nil, log: nil, evaluation_seconds: EVALUATION_SECONDS)
        @evaluation_seconds = evaluation_seconds
        @arguments = with_files(arguments, first.settings)
        @environment = environment
        @knowledge = knowledge
        @log = log
        @name = name_of(first.directory, first.settings.directory)
        @first_names = [first.directory, @name, *folder_of_gemfile(first.directory)].uniq
        @loaded_files = LoadedFiles.new(@first_names)
        @first = @entered = with_own_gemfile(first)
        @working_directory = WorkingDirectory.new(first.directory)
        @first_ruby = ReleaseCheck.ruby_version_in(first.directory)
      end

      # The directory with this name; without a name the one where the server finds its next release. Raises Error.
      #: (?String?) -> String
      def resolve(name = nil)
        name ||= @name
        path = File.realpath(name)
        raise Error, "#{name} is no directory" unless File.directory?(path)

        path
      rescue SystemCallError => error
        raise Error, "#{name} cannot be the directory of a release: #{error.message}"
      end

      # Raises Error.
      #: (String) -> ReleaseCheck
      def check(directory)
        variables = ReleaseVariables.of(@environment, from: @first_names, to: directory)
        ReleaseCheck.new(directory: directory, environment: variables, arguments: @arguments, first_ruby: @first_ruby)
      end

      # The release that was checked. Evaluates its configuration file, whose hooks the monitor calls from the commit
      # on. Raises Error.
      #: (ReleaseCheck, ReleaseCheck::Result, number: Integer, running: Release) -> Release
      def build(check, result, number:, running:)
        settings, environment = configuration(check)
        change = change(check, settings, running)
        report(change)
        warn_of_common_rackup(settings.rackup)
        settings = settings.with_learned_paths(@knowledge.learned) if settings.learns_paths?
        Release.new(number: number, directory: check.directory, environment: environment, ruby: result.ruby,
                    interpreter: result.interpreter, executable: result.executable, not_in_force: change.not_in_force,
                    settings: settings.following(running.settings, first_generation: 0)).freeze
      end

      # What changes when a release follows the running one. What holds until a restart comes from the first release.
      #: (ReleaseCheck, Config::Settings, ?Release) -> Config::SettingsChange
      def change(check, settings, running = first)
        Config::SettingsChange.new(running.settings, settings, start: first.settings,
          directories: [first, running].map(&:directory) | [check.directory])
      end

      # The settings that the release has by itself, and the environment once its file is evaluated: the file may set
      # variables, for the molds. Raises ConfigError, or Error when the file takes too long.
      #: (ReleaseCheck) -> [Config::Settings, Hash[String, String]]
      def configuration(check)
        before = ENV.to_h
        ENV.replace(check.environment)
        @loaded_files.forget_for(check.directory)
        bundle = Config::Gems.gemfile
        settings = @working_directory.within(check.directory) do
          evaluated(check.directory) do
            Config::Loader.new(arguments: @arguments, environment: ENV, directory: check.directory, settled: true).load
          end
        end
        [settings, ENV.to_h]
      rescue ConfigError => error
        raise unless bundle && gem_missing?(error.cause)

        remedy = "Until it is restarted the server reads configuration files with the bundle of #{bundle}: restart " \
                 "it, or require the gem within the hook that needs it"
        raise ConfigError.new(error.message, reason: error.reason, remedy: remedy)
      ensure
        ENV.replace(before)
        @loaded_files.note
      end

      # The monitor goes to the release's directory, and has its variables: what it spawns from now on inherits both.
      # Its own files may be part of the first release's bundle, and removed with it: those of this release are the
      # same.
      #: (Release) -> void
      def adopt(release)
        library = File.expand_path("../lib", File.dirname(release.executable))
        $LOAD_PATH << library unless $LOAD_PATH.include?(library)
        ENV.replace(release.environment)
        @entered = release
        note_if_gone { @working_directory.move(release.directory) }
      end

      # Goes to the directory of the release that was adopted, if that was not possible so far.
      #: () -> void
      def enter = note_if_gone { @working_directory.return_home }

      private

      def note_if_gone
        yield
      rescue SystemCallError => error # it was removed a moment ago
        @log.error("the directory of the release is gone", **@entered.to_log, error: error.message)
      end

      # On a thread that can be ended. Without Timeout: that library is Ruby's own, and the bundle of a configuration
      # which requires a gem may have another version of it.
      def evaluated(directory, &evaluation)
        thread = Thread.new(&evaluation)
        thread.report_on_exception = false
        return thread.value if thread.join(@evaluation_seconds)

        thread.kill
        raise Error, "the configuration file in #{directory} takes longer than #{@evaluation_seconds} s"
      end

      # require_relative has an absolute path.
      def gem_missing?(error) = error.is_a?(LoadError) && !error.path.to_s.start_with?("/")

      # The flags, with the rackup and the configuration file as the first release names them: from its directory, if
      # they lie there. A word may be -cFILE or --config-file=FILE.
      def with_files(arguments, settings)
        typed = Config::Arguments.parse(arguments)
        files = { typed.rackup => settings.rackup, typed.config_file => settings.config_file }.compact
        pattern = /\A(-c|--c[a-z-]*=)?(#{Regexp.union(files.keys.compact)})\z/
        arguments.map { |word| word.sub(pattern) { "#{$1}#{files.fetch($2)}" } }
      end

      # An option without a symlink says nothing: files often derive it from their own place, which is a path of the
      # first release.
      def name_of(directory, option)
        option && File.expand_path(option) != directory ? option : started_in(directory)
      end

      # As the user's shell names it: with the symlink that a deployment changes.
      def started_in(directory)
        name = @environment["PWD"].to_s
        name.start_with?("/") && File.identical?(name, directory) ? name : directory
      end

      # One more name of the directory: a service manager sets BUNDLE_GEMFILE with the symlink, and no PWD.
      def folder_of_gemfile(directory)
        folder = File.dirname(@environment.fetch(ReleaseVariables::GEMFILE, ""))
        folder if folder.start_with?("/") && File.identical?(folder, directory)
      end

      def with_own_gemfile(first)
        variables = ReleaseVariables.moved(first.environment, from: @first_names, to: first.directory)
        Release.new(**first.to_h, environment: variables).freeze
      end

      def report(change)
        list(:info, "settings that change with the release", change.changed)
        list(:warn, "settings that only a restart of the server changes", change.kept)
        list(:warn, "settings that the lobby keeps until a restart", change.kept_by_lobby)
      end

      def warn_of_common_rackup(path)
        return unless path.start_with?("/")

        @log.warn("the rackup file is the same for all releases: it lies outside of their directories", rackup: path)
      end

      def list(level, message, names)
        @log.public_send(level, message, names: names.join(" ")) if names.any?
      end
    end
  end
end
