# frozen_string_literal: true

require "coppice/config/file_values"

module Coppice
  module Config
    # The methods of a configuration file: the file is evaluated with an object of this class as `self`, and its hooks
    # run with the same `self`. It has no other public methods, and one instance variable with a name of its own, so
    # that methods and variables of the file do not collide with ours.
    class Dsl
      #: (FileValues) -> void
      def initialize(values)
        @coppice_values = values
      end

      (OPTIONS.names - %i[listen timeout warm_up_requests]).each do |name|
        define_method(name) { |*arguments, &block| @coppice_values.option(name, arguments, block) }
      end

      HOOKS.names.each do |name|
        define_method(name) { |*arguments, &block| @coppice_values.hook(name, arguments, block) }
      end

      # Adds an address. Options are keywords or, as in Pitchfork, a Hash.
      #: (String | Integer, ?Hash[Symbol, untyped]) -> void
      def listen(address, options = {})
        @coppice_values.listen(address, options)
      end

      # Sets all addresses at once, in place of earlier ones.
      #: (Array[String | Integer]) -> void
      def listeners(addresses)
        @coppice_values.option(:listen, [addresses])
      end

      #: (Numeric, **untyped) -> void
      def timeout(seconds, **keywords)
        @coppice_values.timeout(seconds, keywords)
      end

      # Paths, or a block that is called with a client, or both. nil for none.
      #: (*String?) ?{ (untyped) -> void } -> void
      def warm_up_requests(*paths, &block)
        @coppice_values.option(:warm_up_requests, paths == [nil] ? paths : [paths.flatten(1)]) unless paths.empty?
        @coppice_values.hook(:on_warm_up, [], block) if block || paths.empty?
      end

      private

      # The monitor starts without RubyGems, and loads it when the file requires a gem.
      #: (String) -> bool
      def require(feature)
        super
      rescue LoadError
        raise unless Gems.activate

        super
      end
    end

    # Loads RubyGems and the application's bundle for a configuration that needs a gem. The monitor starts without them,
    # since most configurations need none; `coppice check` has RubyGems, but not always the bundle.
    module Gems
      # Answers false when both are there already: then a retry is useless.
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
