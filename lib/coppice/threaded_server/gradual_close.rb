# frozen_string_literal: true

require "coppice/fork_safety/client_sockets"
require "coppice/os/clock"

module Coppice
  class ThreadedServer
    # Closes the sockets that the application has taken over, such as WebSockets, one after the other, so that their
    # clients do not all connect again in one moment. The application sees each end as if the client had left.
    module GradualClose
      PAUSE = 0.2 # seconds between two looks whether there is time left

      # Over so many seconds. Leaves the rest as it is when the block says that there is no more time.
      #: (Numeric, Log) { () -> bool } -> void
      def self.call(seconds, log)
        sockets = ForkSafety::ClientSockets.open
        return if sockets.empty? || yield

        began = OS::Clock.now
        log.info("closing the clients' sockets one after the other", sockets: sockets.size, seconds: seconds)
        sockets.each_with_index do |socket, index|
          due = began + (seconds.to_f * index / sockets.size)
          Kernel.sleep((due - OS::Clock.now).clamp(0, PAUSE)) until (stopped = yield) || OS::Clock.now >= due
          break if stopped

          close(socket)
        end
      end

      def self.close(socket)
        socket.shutdown
      rescue SystemCallError, IOError # its client has left
        nil
      end
      private_class_method :close
    end
  end
end
