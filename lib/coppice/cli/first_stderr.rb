# frozen_string_literal: true

require "coppice/cli/error_line"

module Coppice
  class CLI
    # Standard error as the server was started with. An error that ends the start is also written there where
    # `stderr_path` leads the stream to a file: nobody looks into that file yet, and on a full disk it cannot take it.
    class FirstStderr
      def initialize(stream = STDERR) #: (?IO) -> void
        @stream = stream
        @first = stream.dup
      end

      # Nothing where the stream is still the first one: the command line tells the error there.
      #: (Error) -> void
      def tell(error)
        return if @first.closed? || File.identical?(@first, @stream)
        return unless IO.select(nil, [@first], nil, 0) # a pipe that nobody reads must not hold up the end

        @first.puts ErrorLine.of(error)
      rescue SystemCallError, IOError
        nil # nobody reads it, or this disk is full as well
      end

      # Once the server runs: somebody may wait for the end of that stream.
      def close = @first.close #: () -> void
    end
  end
end
