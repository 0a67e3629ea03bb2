# frozen_string_literal: true

module Coppice
  module Http
    # The rack.input of a request without a body: always at its end. It has no state, so one serves all requests of a
    # worker.
    class NullInput
      # As IO#read: "" for all there is, nil for a number of bytes.
      #: (?Integer?, ?String?) -> String?
      def read(length = nil, buffer = nil)
        buffer&.clear
        length.nil? || length.zero? ? buffer || +"" : nil
      end

      #: (*untyped) -> nil
      def gets(*) = nil

      #: () { (String) -> void } -> NullInput
      def each
        return enum_for(:each) unless block_given?

        self
      end

      #: (Integer, ?String?) -> bot
      def readpartial(_length, _buffer = nil) = raise(EOFError, "end of file reached")

      def getc = nil
      def getbyte = nil
      def rewind = 0
      def pos = 0
      def size = 0
      def length = 0
      def eof? = true
      def close = nil
      def closed? = false
      def binmode = self
      def sync = true
      def set_encoding(*) = self
      def external_encoding = Encoding::BINARY
    end
  end
end
