# frozen_string_literal: true

require "coppice/version"

module Coppice
  class CLI
    # `coppice version`: prints the versions of Coppice and Ruby.
    class VersionCommand
      #: (Array[String], ?output: IO) -> void
      def initialize(_arguments, output: $stdout)
        @output = output
      end

      def run #: () -> Integer
        @output.puts "coppice #{VERSION} (ruby #{RUBY_VERSION})"
        0
      end
    end
  end
end
