# frozen_string_literal: true

require "rbconfig"
require "coppice/tools/cold/valid_text"
require "coppice/executable"

module Coppice
  module Cold
    # Shortens the paths of a PathAnalysis for the report: relative to the application, to the gem, or to Ruby's own
    # library.
    class SourcePaths
      GEM = %r{\A.*/(?:bundler/)?gems/([^/]+-[^/]+/.+)\z}
      EXTENSION = %r{\A.*/extensions/[^/]+/[^/]+/([^/]+-[^/]+/.+)\z}
      # When Coppice is not installed as a gem.
      COPPICE = ValidText.of([EXECUTABLE, File.expand_path("../../..", __dir__)]).freeze
      # The first folder is inside the second one, so it is tried first.
      RUBY = ValidText.of(RbConfig::CONFIG.values_at("rubyarchdir", "rubylibdir")).freeze

      #: (?String) -> void
      def initialize(root = Dir.pwd)
        @root = "#{ValidText.of(File.realpath(root))}/"
      end

      #: (String) -> String
      def short(path)
        in_gem(path) || in_ruby(path) || path.delete_prefix(@root)
      end

      # Whether the file belongs to the application itself.
      #: (String) -> bool
      def own?(path)
        path.start_with?(@root) && !path.start_with?("#{@root}vendor/", *COPPICE) && !in_gem(path)
      end

      private

      def in_gem(path) = path[GEM, 1] || path[EXTENSION, 1]

      def in_ruby(path)
        folder = RUBY.find { |name| path.start_with?("#{name}/") }
        path.sub(folder, "ruby") if folder
      end
    end
  end
end
