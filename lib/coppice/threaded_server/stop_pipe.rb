# frozen_string_literal: true

module Coppice
  class ThreadedServer
    # Tells the thread that waits for clients that it is to stop.
    class StopPipe
      attr_reader :reader #: IO -- readable from then on

      #: () -> void
      def initialize
        @reader, @writer = IO.pipe
      end

      # On another thread. Idempotent. A process that the application has forked may have this end of the pipe as well:
      # a close alone would tell nothing.
      #: () -> void
      def stop
        @writer.write(".") unless @writer.closed?
      rescue Errno::EPIPE # the thread has ended
        nil
      ensure
        @writer.close
      end

      # The end of the thread that waits. Idempotent.
      #: () -> void
      def close = @reader.close
    end
  end
end
