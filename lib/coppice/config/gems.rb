# frozen_string_literal: true

module Coppice
  module Config
    # Loads RubyGems and the application's bundle for a configuration that needs a gem. The monitor starts without them,
    # since most configurations need none; `coppice check` has RubyGems, but not always the bundle.
    module Gems
      # A word, and the text behind it. At the start of a line: what is indented may be the block of a hook, which runs
      # in another process.
      REQUIRE = /^(require|require_relative|load)\b\s*\(?\s*["']([^"'#]+)["']/.freeze

      class << self
        # The Gemfile of the bundle which `activate` has set up; a process has no second one.
        attr_reader :gemfile #: String?

        # Returns false when both are there already: then a retry is useless.
        #: () -> bool
        def activate
          bundle = ENV["BUNDLE_GEMFILE"] && !bundle_set_up?
          return false if defined?(::Gem::Specification) && !bundle

          require "rubygems"
          if bundle
            require "bundler"
            Bundler.setup
            @gemfile = ENV["BUNDLE_GEMFILE"]
          end
          true
        end

        # Whether the text of a file shows that it requires a gem, or a file that does.
        #: (String, String, ?Array[String]) -> bool
        def required?(text, path, known = [])
          text.b.scan(REQUIRE).any? do |word, name|
            next gem?(name) if word == "require" && !name.start_with?("/")

            file = "#{File.expand_path(name, File.dirname(path)).delete_suffix(".rb")}.rb"
            next if known.include?(file) || !File.readable?(file)

            required?(File.binread(file), file, known << file)
          end
        end

        # Whether a library of Ruby's own was loaded too soon, of which the bundle has another version.
        #: (Exception) -> bool
        def conflict?(error) = defined?(::Gem::LoadError) ? error.instance_of?(::Gem::LoadError) : false

        private

        # By an earlier call, or by bundler/setup, as `bundle exec` does it.
        def bundle_set_up? = !gemfile.nil? || $LOADED_FEATURES.any? { |path| path.end_with?("/bundler/setup.rb") }

        # Bundler belongs to Ruby, and has the gems of the bundle.
        def gem?(name) = name.start_with?("bundler") || $LOAD_PATH.resolve_feature_path(name).nil?
      end
    end
  end
end
