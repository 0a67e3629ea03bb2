# frozen_string_literal: true

require "coppice/compatibility"
require "coppice/config/dsl"
require "coppice/config/gems"
require "coppice/config/syntax_problem"
require "coppice/errors"
require "coppice/log/text"

module Coppice
  module Config
    # Directives of Unicorn and Puma that Coppice does not support => what to do instead.
    UNSUPPORTED_DIRECTIVES = {
      after_fork: "Use after_worker_fork",
      before_exec: "Remove it: nothing is replaced by exec",
      bind: "Use listen, for example: listen \"0.0.0.0:3000\"",
      daemonize: "Remove it: let the process supervisor run the server in the background",
      fork_worker: "Use refork_after, for example: refork_after [50, 100, 1000]",
      on_worker_boot: "Use after_worker_fork",
      pid: "Use pidfile, for example: pidfile \"tmp/pids/server.pid\"",
      on_booted: "Use after_monitor_ready",
      on_worker_shutdown: "Use before_worker_exit",
      plugin: "Remove it: there are no plugins. What a plugin of Puma's runs in the server has a process of its own " \
              "with service (docs/services.md)",
      port: "Use listen, for example: listen 3000",
      preload_app: "Remove it: the application is always loaded once, before the workers are forked",
      preload_app!: "Remove it: the application is always loaded once, before the workers are forked",
      threads: "Remove it: a worker serves one request at a time. Use worker_processes",
      user: "Remove it: start the server as the user that it should run as",
      worker_timeout: "Use timeout, for example: timeout 10",
      workers: "Use worker_processes, for example: worker_processes 4",
      working_directory: "Remove it: start the server in the directory that it should run in"
    }.freeze

    # Evaluates a configuration file and returns its FileValues. Runs in the monitor and in each cold mold. Every error
    # in the file becomes a ConfigError with file and line.
    class ConfigFile
      # Constants that configuration files use without a require => the feature. Required, where the file names one, and
      # never autoloaded: an autoload is there for the application as well, and breaks its `require "uri/generic"`. The
      # first is a gem from Ruby 4.0 on: the bundle that it then comes from may have others of them as well.
      FEATURES = {
        Logger: "logger", Date: "date", Etc: "etc", FileUtils: "fileutils", Pathname: "pathname", StringIO: "stringio",
        Tempfile: "tempfile", URI: "uri"
      }.freeze

      # `file` is relative to `directory` or absolute. starting: see FileValues.
      #: (String, ?directory: String, ?starting: bool) -> FileValues
      def self.read(file, directory: Dir.pwd, starting: false)
        new(file, directory, starting).evaluate
      end

      #: (String, String, bool) -> void
      def initialize(file, directory, starting)
        @file = file
        @path = File.expand_path(file, directory)
        @starting = starting
      end

      # Raises ConfigError.
      def evaluate #: () -> FileValues
        run(read)
      end

      private

      def read
        File.read(@path, encoding: Encoding::UTF_8)
      rescue SystemCallError => error
        problem = "the configuration file cannot be read (#{Coppice.system_error_text(error)})"
        raise ConfigError.new(problem, file: @file)
      end

      # The bundle comes first: it may have another version of such a library, and Ruby's own cannot be unloaded. The
      # bytes are searched: a comment, or a file with another encoding, may have some that are no UTF-8.
      def prepare(text)
        text = text.b
        Gems.activate if Gems.required?(text, @path)
        FEATURES.each { |name, feature| require_feature(feature) if text.match?(/^(?!\s*#).*\b#{name}\b/) }
        Compatibility.define if File.basename(@path) == "pitchfork.rb" || text.match?(/\bPitchfork\b/)
      end

      def require_feature(feature)
        require feature
      rescue LoadError
        Gems.activate ? retry : raise
      end

      # The file is its user's program: any exception is reported with its line. Signals pass.
      def run(text)
        prepare(text)
        values_of(text)
      rescue ConfigError
        raise
      rescue NameError => error
        unknown_directive?(error) ? refuse_directive(error) : wrap(error)
      rescue SyntaxError => error
        refuse_text(error)
      rescue UserCodeError => error
        of_text?(error) ? refuse_text(error) : wrap(error)
      rescue SystemExit => error
        raise ConfigError.new("the file calls exit", file: @file, line: line_of(error))
      end

      # Gems were loaded beforehand where the text tells that they are needed, and Dsl#require does it when the file
      # itself requires one. When a file that it requires does so, the LoadError has left that file by now, so the whole
      # configuration is evaluated once more, with RubyGems and into new FileValues. That is safe: each cold mold
      # evaluates the configuration again in any case.
      def values_of(text)
        values = FileValues.new(file: @file, path: @path, text: text, replaceable: !unicorn?, starting: @starting)
        Compatibility.recording(values) do
          unicorn? ? evaluate_for_unicorn(values, text) : EVALUATE.call(Dsl.new(values), text, @path)
        end
        values.freeze
      rescue LoadError => error
        raise if Gems.conflict?(error) || !Gems.activate

        retry
      end

      # config/unicorn.rb, config/unicorn/production.rb.
      def unicorn? = %r{(?:/unicorn/[^/]+|unicorn[^/]*)\z}i.match?(@path)

      def evaluate_for_unicorn(values, text)
        require "coppice/compatibility/unicorn_dsl"
        Compatibility::Unicorn.standing_in { EVALUATE.call(Compatibility::UnicornDsl.new(values), text, @path) }
        Compatibility::UnicornDsl.complete(values)
      end

      def unknown_directive?(error)
        error.receiver.is_a?(Dsl)
      rescue ArgumentError # it has no receiver
        false
      end

      def refuse_directive(error)
        name = error.name
        remedy = UNSUPPORTED_DIRECTIVES[name] || Suggestion.sentence(name, OPTIONS.names + HOOKS.names + %i[service]) ||
                 "docs/configuration.md lists all options and hooks"
        raise ConfigError.new("unknown option or hook #{name}", file: @file, line: line_of(error), remedy: remedy)
      end

      # What the file itself raises has a line of it among its callers, whatever its message begins with.
      def of_text?(error) = SyntaxProblem.about?(error, @path) && line_of(error).nil?

      def refuse_text(error)
        raise SyntaxProblem.error(error, file: @file, path: @path, line: line_of(error))
      end

      def wrap(error)
        text = error.message.scrub("?").lines.first.to_s.chomp.chomp(".")
        remedy = "Begin the file with require \"bundler/setup\"" if Gems.conflict?(error)
        reason, problem = [error.class, "#{error.class}: #{text}"].map { |words| Log::Text.without_singleton(words.to_s) }
        raise ConfigError.new(problem, reason: reason, file: @file, line: line_of(error), remedy: remedy)
      end

      def line_of(error)
        error.backtrace_locations&.find { |location| location.path == @path }&.lineno
      end
    end
  end
end

# Outside of all modules: the constants of a configuration file, `Settings` or `Worker` for instance, are the
# application's and not those of Coppice.
Coppice::Config::EVALUATE = ->(dsl, text, path) { dsl.instance_eval(text, path) }
