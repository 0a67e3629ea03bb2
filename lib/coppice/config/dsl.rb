# frozen_string_literal: true

require "coppice/config/file_values"

module Coppice
  module Config
    # The words of a config file: the file is evaluated with an object of this class as `self`, and so its hooks are too.
    # It has no methods but those words, and one instance variable with a name of its own, so that methods and variables
    # of the file cannot meet ours.
    class Dsl
      #: (FileValues) -> void
      def initialize(record)
        @coppice_record = record
      end

      (OPTIONS.names - %i[listen timeout warm_up_requests]).each do |name|
        define_method(name) { |*arguments, &block| @coppice_record.option(name, arguments, block) }
      end

      HOOKS.names.each do |name|
        define_method(name) { |*arguments, &block| @coppice_record.hook(name, arguments, block) }
      end

      # An address; options come as keywords or, as Pitchfork has it, as a Hash.
      #: (String | Integer, ?Hash[Symbol, untyped]) -> void
      def listen(address, options = {})
        @coppice_record.listen(address, options)
      end

      # All addresses at once, in place of those named before.
      #: (Array[String | Integer]) -> void
      def listeners(addresses)
        @coppice_record.option(:listen, [addresses])
      end

      #: (Numeric, **untyped) -> void
      def timeout(seconds, **keywords)
        @coppice_record.timeout(seconds, keywords)
      end

      # Paths, or a block that is given a client; or both. nil for none.
      #: (*String?) ?{ (untyped) -> void } -> void
      def warm_up_requests(*paths, &block)
        @coppice_record.option(:warm_up_requests, paths == [nil] ? paths : [paths.flatten(1)]) unless paths.empty?
        @coppice_record.hook(:on_warm_up, [], block) if block || paths.empty?
      end

      private

      # The monitor starts without RubyGems; a file that asks for a gem gets them.
      #: (String) -> bool
      def require(feature)
        super
      rescue LoadError
        raise unless Gems.activate

        super
      end
    end

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
