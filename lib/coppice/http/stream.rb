# frozen_string_literal: true

module Coppice
  module Http
    # The stream that a streaming body is called with (Rack 3): reads the request's body, writes the response's. It
    # lasts for one response: it is closed when the body's call returns, since the worker then serves another client.
    class Stream
      #: (Connection, NullInput | StreamingInput | StringIO | InputFile) -> void
      def initialize(connection, input)
        @connection = connection
        @input = input
        @readable = @writable = true
        @writing = Mutex.new # a heartbeat may come from another thread
      end

      #: (?Integer?, ?String?) -> String?
      def read(length = nil, buffer = nil)
        raise IOError, "not opened for reading" unless @readable

        @input.read(length, buffer)
      end

      # Sends the pieces at once. Raises ClientGone.
      #: (*_ToS) -> Integer
      def write(*pieces)
        pieces = pieces.map(&:to_s) # the application's code: the response may end meanwhile
        @writing.synchronize { pieces.sum { |piece| write_piece(piece) } }
      end

      #: (_ToS) -> Stream
      def <<(piece)
        write(piece)
        self
      end

      #: () -> Stream
      def flush
        @connection.flush if @writable
        self
      end

      #: () -> void
      def close_read
        @readable = false
      end

      #: () -> void
      def close_write
        @writing.synchronize do
          next unless @writable

          @writable = false
          @unwritten = @connection.finish_response
        end
      end

      #: (?Exception?) -> void
      def close(_error = nil)
        close_read
        close_write
      end

      # The content-length less the number of bytes that were written.
      #: () -> Integer
      def unwritten = @unwritten || 0

      # The response has ended, whole or not: nothing may reach the next client.
      #: () -> void
      def disown
        @readable = @writable = false
      end

      #: () -> bool
      def closed? = !@readable && !@writable

      private

      def write_piece(piece)
        @writable ? @connection.write(piece) : raise(IOError, "not opened for writing")
      end
    end
  end
end
