# frozen_string_literal: true

module Coppice
  class CLI
    # The gems of an application's bundle, as its Gemfile.lock has them. Loads none of them.
    class LockedGems
      attr_reader :file #: String

      # Of the Gemfile that BUNDLE_GEMFILE names, or of the one in a directory.
      #: (Hash[String, String], String) -> LockedGems
      def self.of(environment, directory)
        gemfile = environment.fetch("BUNDLE_GEMFILE") do
          %w[Gemfile gems.rb].find { |name| File.exist?(File.join(directory, name)) } || "Gemfile"
        end
        new(File.expand_path(gemfile, directory))
      end

      #: (String) -> void
      def initialize(gemfile)
        @file = gemfile.end_with?("gems.rb") ? gemfile.sub(/\.rb\z/, ".locked") : "#{gemfile}.lock"
      end

      #: () -> bool
      def known? = File.readable?(@file)

      # The version of each, by name and without a platform; none without a Gemfile.lock.
      #: () -> Hash[String, String]
      def versions
        return {} unless known?

        @versions ||= File.read(@file, encoding: Encoding::UTF_8).scan(/^    (\S+) \((\d[^-)]*)[^)]*\)$/).to_h
      end
    end
  end
end
