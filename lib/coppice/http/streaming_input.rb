# frozen_string_literal: true

require "coppice/errors"

module Coppice
  module Http
    # The rack.input of `rewindable_input false`: reads from the client when the application asks, and keeps nothing. It
    # lasts for one request: the exchange closes it, since the connection then has another client. It has no `rewind`,
    # since applications take one for a promise.
    class StreamingInput
      # How much is asked of the client at a time when the application wants all or a line.
      PIECE_BYTES = 16 * 1024

      #: (Connection) -> void
      def initialize(connection)
        @connection = connection
        @ahead = String.new # read from the client, not yet by the application
      end

      # As IO#read. Raises ClientGone when the client leaves, RequestRefused when it stalls or sends a malformed chunk.
      #: (?Integer?, ?String?) -> String?
      def read(length = nil, buffer = nil)
        buffer ||= String.new
        return read_into(:read_body, length, buffer) if length&.positive? && @ahead.empty?

        buffer.replace(length ? take(length) : take_all)
        buffer.empty? && length&.positive? ? nil : buffer
      end

      # As IO#readpartial: what there is, at least one byte.
      #: (Integer, ?String?) -> String
      def readpartial(length, buffer = nil)
        buffer ||= String.new
        return buffer.replace(@ahead.slice!(0, length)) if length.zero? || !@ahead.empty?

        read_into(:read_body_partial, length, buffer) || raise(EOFError, "end of file reached")
      end

      # As IO#gets with the usual separator.
      #: () -> String?
      def gets
        searched = 0
        until (index = @ahead.index("\n", searched))
          searched = @ahead.bytesize
          break unless fill
        end
        line = @ahead.slice!(0, index ? index + 1 : @ahead.bytesize)
        line.empty? ? nil : line
      end

      #: () { (String) -> void } -> StreamingInput
      def each
        return enum_for(:each) unless block_given?

        while (line = gets)
          yield line
        end
        self
      end

      #: () -> bool
      def eof? = @ahead.empty? && !fill

      # From now on there is nothing to read.
      #: () -> nil
      def close
        @connection = nil
        @ahead = String.new
        nil
      end

      def closed? = @connection.nil?
      def binmode = self
      def external_encoding = Encoding::BINARY

      private

      # From the client into the application's own buffer: a large body leaves no Strings behind, which the garbage
      # collector would let pile up to some 70 MiB (test/integration/large_bodies_test.rb). nil at the end of the body.
      def read_into(reading, length, buffer)
        done = connection.public_send(reading, length, buffer.force_encoding(Encoding::BINARY))
      ensure
        buffer.clear unless done
      end

      def take(length)
        missing = length - @ahead.bytesize
        return @ahead.slice!(0, length) unless missing.positive?

        taken = @ahead
        @ahead = String.new
        more = connection.read_body(missing)
        more ? taken << more : taken
      end

      def take_all
        nil while fill
        @ahead.slice!(0, @ahead.bytesize)
      end

      # false at the end of the body.
      def fill
        piece = connection.read_body_partial(PIECE_BYTES) or return false
        @ahead << piece
        true
      end

      def connection = @connection || raise(IOError, "the request has ended")
    end
  end
end
