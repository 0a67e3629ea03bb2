# frozen_string_literal: true

require "socket"
require "coppice/fork_safety/kept_ios"

module Coppice
  module TestReforks
    # The socket on which the later generations of a suite report to the first process. All of them share one end. A
    # message is an Array; an answer is one byte. Both ends run the same code and are forked from each other, so
    # messages are marshalled.
    class Link
      HEADER = 4 # bytes that hold the length of a message
      GO_ON = "."
      QUIT = "q"

      def initialize
        @reader, @writer = UNIXSocket.pair
        [@reader, @writer].each { |socket| ForkSafety::KeptIOs.keep(socket) }
        @received = "".b
      end

      # In the first process, when the other end has been forked away; in the other processes.
      #: () -> void
      def keep_reader = @writer.close

      #: () -> void
      def keep_writer
        @reader.close unless @reader.closed?
      end

      # Never answered: the sender may exit at once.
      #: (*untyped) -> void
      def tell(*message)
        data = Marshal.dump(message)
        @writer.write([data.bytesize].pack("N") << data)
      end

      # Tells, and waits until the first process has printed what there is to print: so output stays in order, and a
      # reporter that ends the run does so between two tests. Returns GO_ON or QUIT; nil when the first process is gone.
      #: (*untyped) -> String?
      def ask(*message)
        tell(*message)
        @writer.read(1)
      end

      # The next message; nil when none comes within so many seconds; :closed when nobody can send any more.
      #: (Numeric) -> (Array[untyped] | Symbol)?
      def receive(seconds)
        until (message = take_message)
          return unless @reader.wait_readable(seconds)

          part = @reader.read_nonblock(65_536, exception: false)
          return :closed if part.nil?

          @received << part unless part == :wait_readable
        end
        message
      rescue Errno::ECONNRESET
        :closed
      end

      # A sender that was killed meanwhile does not matter here: the next message is :closed.
      #: (String) -> void
      def answer(byte)
        @reader.write(byte)
      rescue Errno::EPIPE
        nil
      end

      private

      def take_message
        length = @received.unpack1("N") or return
        return if @received.bytesize < HEADER + length

        Marshal.load(@received.slice!(0, HEADER + length).byteslice(HEADER, length)) # rubocop:disable Security/MarshalLoad
      end
    end
  end
end
