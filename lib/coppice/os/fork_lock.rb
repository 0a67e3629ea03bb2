# frozen_string_literal: true

require "monitor"

module Coppice
  module OS
    # Held around each fork, and by application threads inside Coppice.prevent_fork: if a thread held a native lock
    # (that of getaddrinfo, for example) at the instant of a fork, the lock would stay locked forever in the child.
    #
    # The lock's owner survives a fork: only the main thread forks, and it is the one thread that the child has.
    class ForkLock
      def initialize
        @lock = ::Monitor.new
      end

      #: [T] () { () -> T } -> T
      def synchronize(&block) = @lock.synchronize(&block)
    end
  end
end
