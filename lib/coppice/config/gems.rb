# frozen_string_literal: true

module Coppice
  module Config
    # Loads RubyGems and the application's bundle for a configuration that needs a gem. The monitor starts without them,
    # since most configurations need none; `coppice check` has RubyGems, but not always the bundle.
    module Gems
      # Returns false when both are there already: then a retry is useless.
      #: (?Hash[String, String]) -> bool
      def self.activate(environment = ENV)
        bundle = environment["BUNDLE_GEMFILE"] && !bundle_set_up?
        return false if defined?(::Gem::Specification) && !bundle

        require "rubygems"
        if bundle
          require "bundler"
          Bundler.setup
          @bundle_set_up = true
        end
        true
      end

      # By an earlier call, or by bundler/setup, as `bundle exec` does it.
      def self.bundle_set_up? = @bundle_set_up || $LOADED_FEATURES.any? { |path| path.end_with?("/bundler/setup.rb") }
      private_class_method :bundle_set_up?
    end
  end
end
