# frozen_string_literal: true

require "socket"
require "coppice/fork_safety/weak_set"

module Coppice
  module ForkSafety
    # The IO objects that `close_all_ios!` keeps open.
    module KeptIOs
      @kept = WeakSet.new

      class << self
        # Raises ArgumentError for something that is not, and does not hold, an IO.
        #: (IO) -> IO
        def keep(io)
          raise ArgumentError, "#{io.inspect} has no to_io" unless io.respond_to?(:to_io)

          @kept.add(io)
          io
        end

        # The descriptors of those that are open.
        #: () -> Array[Integer]
        def descriptors = @kept.to_a.map(&:to_io).reject(&:closed?).map(&:fileno)

        # Closes all others.
        #: () -> void
        def close_others
          kept = [$stdin, $stdout, $stderr, STDIN, STDOUT, STDERR].compact + @kept.to_a.map(&:to_io)
          ObjectSpace.each_object(IO) { |io| close(io) unless kept.include?(io) }
        end

        private

        def close(io)
          return if io.closed? || !io.autoclose?

          # The connection is shared with the parent. Closing a TLS or TCP object may send something to the peer, so its
          # descriptor is replaced by one of /dev/null first.
          io.reopen(File::NULL) if io.is_a?(TCPSocket)
          io.close
        rescue IOError, Errno::EBADF
          # Not open, or not initialized: there is nothing to close.
        end
      end
    end
  end
end
