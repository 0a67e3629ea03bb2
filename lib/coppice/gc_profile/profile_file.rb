# frozen_string_literal: true

require "coppice/errors"
require "coppice/gc_profile"

module Coppice
  module GCProfile
    # A profile as a file to commit: lines of NAME=value as a shell has them, so that other programs can take them too.
    module ProfileFile
      COMMENT = /\A\s*(#.*)?\z/.freeze

      # Raises ConfigError for a line that is none, and for a file that cannot be read.
      #: (String) -> Hash[String, String]
      def self.read(path)
        lines(path).each.with_index(1).reject { |line, _| line.match?(COMMENT) }.to_h do |line, number|
          name, value = line.split("=", 2)
          next [name, value] if value && GCProfile.variable?(name, value)

          raise ConfigError.new("must be RUBY_GC_…=number, but is #{line.inspect}", file: path, line: number)
        end
      end

      # As bytes: a comment may be in any encoding.
      def self.lines(path)
        File.readlines(path, chomp: true, mode: "rb")
      rescue SystemCallError => error
        raise ConfigError.new("cannot be read: #{error.message}", file: path)
      end
      private_class_method :lines

      #: (Hash[String, String], Array[String]) -> String
      def self.text(variables, comments)
        [*comments.map { |line| "# #{line}" }, *variables.map { |name, value| "#{name}=#{value}" }].join("\n") << "\n"
      end
    end
  end
end
