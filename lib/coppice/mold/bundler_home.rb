# frozen_string_literal: true

module Coppice
  class Mold
    # Where Bundler looks for the user's plugins and caches. For a user without a home that can be written to it makes
    # a temporary folder, as soon as it looks (`Bundler.require` does), and a handler of at_exit that removes it.
    # All processes forked from the mold would inherit that handler, and the first one that exits would remove what the
    # others have. A server installs nothing, so Bundler need not write: it is told the folder below that home.
    module BundlerHome
      VARIABLE = "BUNDLE_USER_HOME"

      # Before the application is loaded.
      #: (?Hash[String, String], ?home: String?) -> void
      def self.settle(environment = ENV, home: (Gem.user_home if defined?(Gem)))
        return unless home

        folder = File.join(home, ".bundle")
        usable = [home, folder].any? { |path| File.directory?(path) && File.writable?(path) }
        environment[VARIABLE] ||= folder unless usable
      end
    end
  end
end
