# frozen_string_literal: true

module Coppice
  # Where Bundler looks for the user's plugins and caches. For a user without a home that can be written to it makes
  # a temporary folder, as soon as it looks (`Bundler.require` does, and a Gemfile may), and a handler of at_exit that
  # removes it. All processes forked from one that has loaded the application would inherit that handler, and the first
  # one that exits would remove what the others have. A server installs nothing, so Bundler need not write: it is told
  # the folder below that home.
  module BundlerHome
    VARIABLE = "BUNDLE_USER_HOME"

    # What to add to the environment of a process before it sets up a bundle; empty for a user with a home.
    #: (Hash[String, String]) -> Hash[String, String]
    def self.variables(environment)
      return {} if environment.key?(VARIABLE)

      home = home(environment)
      folder = File.join(home, ".bundle")
      usable = [home, folder].any? { |path| File.directory?(path) && File.writable?(path) }
      usable ? {} : { VARIABLE => folder }
    end

    # As RubyGems finds it, which the monitor has not loaded.
    def self.home(environment)
      environment["HOME"] || Dir.home
    rescue ArgumentError, SystemCallError # the user has no entry in the system's list, or it cannot be read
      "/"
    end
    private_class_method :home
  end
end
