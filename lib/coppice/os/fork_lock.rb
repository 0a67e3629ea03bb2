# frozen_string_literal: true

require "monitor"

module Coppice
  module OS
    # Held around each fork, and by application threads inside
    # Coppice.prevent_fork: a thread inside a native lock (getaddrinfo, say) at the
    # instant of a fork would leave that lock taken for ever in the child.
    #
    # The owner survives a fork, since only the main thread forks and it is the
    # thread that lives on in the child.
    class ForkLock
      def initialize
        @lock = ::Monitor.new
      end

      #: [T] () { () -> T } -> T
      def synchronize(&block) = @lock.synchronize(&block)
    end
  end
end
