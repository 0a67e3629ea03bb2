# frozen_string_literal: true

require "coppice/errors"
require "coppice/log/plain_line"

module Coppice
  class CLI
    # Standard error as the server was started with. An error that ends the start is also written there where
    # `stderr_path` leads the stream to a file: nobody looks into that file yet, and on a full disk it cannot take it.
    class FirstStderr
      # Tells it an error that ends the block. The block closes it once the server runs.
      #: [T] (?IO) { (FirstStderr) -> T } -> T
      def self.watch(stream = STDERR)
        first = new(stream)
        yield first
      rescue StandardError => error
        first&.tell(error)
        raise
      ensure
        first&.close
      end

      #: (IO) -> void
      def initialize(stream)
        @stream = stream
        @first = stream.dup
      end

      # Nothing where the stream is still the first one: the command line tells the error there.
      #: (StandardError) -> void
      def tell(error)
        return if @first.closed? || File.identical?(@first, @stream)
        return unless IO.select(nil, [@first], nil, 0) # a pipe that nobody reads must not hold up the end

        error_class = " (#{error.class})" unless error.is_a?(Error) # then the message may say nothing alone
        @first.puts Log::PlainLine.of("#{error.message}#{error_class}", io: @first)
      rescue SystemCallError, IOError
        nil # nobody reads it, or this disk is full as well
      end

      # Once the server runs: somebody may wait for the end of that stream.
      def close = @first.close #: () -> void
    end
  end
end
