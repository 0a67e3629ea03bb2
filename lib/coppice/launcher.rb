# frozen_string_literal: true

require_relative "bare_ruby"
require_relative "bundler_home"
require_relative "cli/commands"
require_relative "log/plain_line"

module Coppice
  # The first code that runs in each process started with `exe/coppice`; decides which kind of process this is.
  #
  # The monitor needs no gem, and it keeps in memory what it loads for as long as it lives. So a `serve` that was
  # started with RubyGems (or Bundler) replaces itself, under the same pid, by a Ruby without. So does the client of a
  # guest that may live for long, or that Bundler has made large: that takes 25 ms and saves 3 to 12 MiB.
  class Launcher
    LIBRARY = File.expand_path("..", __dir__)

    #: (Array[String]) -> void
    def initialize(arguments)
      @arguments = arguments
      @command = CLI::COMMANDS[arguments.first]
    end

    #: () -> void
    def call
      BareRuby.run_instead(@arguments) if defined?(::Gem) && large_client?
      set_up_bundle if @command&.loads_application
      remove_start_variables
      $LOAD_PATH.unshift(LIBRARY) unless $LOAD_PATH.include?(LIBRARY)
      load_extension
      OS.release_main_stack # for all that is forked from this process, too
      return run_child if @command&.needs_channel && channel?

      require "coppice/cli"
      BareRuby.run_instead(@arguments) if defined?(::Gem) && CLI.serving?(@arguments)
      CLI.run(@arguments)
    end

    private

    # After Bundler, which may start the program again, with the version of it that the lock file names. It keeps a copy
    # of ENV for programs that run without it.
    def remove_start_variables
      [ENV, (::Bundler::ORIGINAL_ENV if defined?(::Bundler::ORIGINAL_ENV))].compact.each do |environment|
        StartVariables.remove_from(environment)
      end
    end

    # Before anything else is required, with `bundle exec` or without: the bundle may ask for another version of a gem
    # that comes with Ruby, and a loaded gem cannot be exchanged. A mold has the variable already.
    def set_up_bundle
      ENV.update(BundlerHome.variables(ENV))
      require "bundler/setup" if ENV["BUNDLE_GEMFILE"]
    rescue ScriptError, StandardError => error # a Gemfile is the user's program
      abort Log::PlainLine.of("#{ENV.fetch('BUNDLE_GEMFILE')}: #{error.message.strip} (#{error.class})")
    end

    # Before every command, also those that do not need it: `coppice check` must not pass where the server cannot start.
    def load_extension
      require "coppice/coppice_ext"
    rescue LoadError => error
      abort Log::PlainLine.of(error.message)
    end

    def large_client?
      @command&.name == "console" || (@command&.name == "run" && defined?(::Bundler))
    end

    # The monitor passes the descriptor number of a socket. When a user has typed the command there is none, and the CLI
    # refuses the command.
    def channel?
      @arguments[1].to_s.match?(/\A\d+\z/) && IO.for_fd(Integer(@arguments[1], 10), autoclose: false).stat.socket?
    rescue SystemCallError, ArgumentError # there is no such descriptor, or it is one of Ruby's own
      false
    end

    def run_child
      require "coppice"
      require "coppice/os/standard_streams"
      OS::StandardStreams.unbuffer
      @command.load.new(Integer(@arguments[1], 10)).call
    end
  end
end
