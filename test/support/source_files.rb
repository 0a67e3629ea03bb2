# frozen_string_literal: true

module Coppice
  # The project's own source files, and what can be told from their text: for the test of the architecture.
  class SourceFiles
    ROOT = File.expand_path("../..", __dir__)
    REQUIRE = %r{^\s*(?:require|autoload :\w+,) "coppice(?:/([^"#]+))?"}

    # Path (seen from the project's folder) to text, of the files that match.
    def self.matching(*patterns) #: (*String) -> Hash[String, String]
      paths = patterns.flat_map { |pattern| Dir[pattern, base: ROOT] }.sort
      paths.to_h { |path| [path, File.read(File.join(ROOT, path), encoding: "UTF-8")] }
    end

    # The features below coppice/ that the text requires; "" is the front door itself.
    def self.required_by(text) #: (String) -> Array[String]
      text.scan(REQUIRE).map { |(feature)| feature.to_s }
    end
  end
end
