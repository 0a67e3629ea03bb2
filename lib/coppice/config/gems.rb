# frozen_string_literal: true

module Coppice
  module Config
    # RubyGems and Bundler, for a monitor that was started without them because most never need them.
    module Gems
      # Loads RubyGems, and the application's bundle when `bundle exec` named one.
      # Answers false when they are there already, so that a retry would change nothing.
      #: (?Hash[String, String]) -> bool
      def self.activate(environment = ENV)
        return false if defined?(::Gem::Specification)

        require "rubygems"
        if environment["BUNDLE_GEMFILE"]
          require "bundler"
          Bundler.setup
        end
        true
      end
    end
  end
end
