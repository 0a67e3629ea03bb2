# frozen_string_literal: true

require "coppice/coppice_ext"
require "coppice/fork_safety/open_descriptors"
require "coppice/fork_safety/weak_set"

module Coppice
  module ForkSafety
    # The sockets of clients that a worker has passed to the application (rack.hijack, coppice.socket). They belong to
    # that worker: if a mold forked from it kept one open, the client would not see the end of its connection.
    #
    # Sockets are identified by inode, because the application may have duplicated a descriptor and kept the duplicate.
    module ClientSockets
      MINIMUM_LIMIT = 64 # sockets that are remembered before closed ones are forgotten

      @ios = WeakSet.new
      @inodes = {}
      @limit = MINIMUM_LIMIT

      class << self
        # Remembers a socket, on a system where this process may be forked. Forgets closed ones each time that
        # the limit is reached.
        #: (BasicSocket) -> BasicSocket
        def note(io)
          return io unless OS.supervises?

          forget_closed if @inodes.size >= @limit
          @inodes[io.stat.ino] = true
          @ios.add(io)
          io
        end

        # Number of sockets that are remembered.
        def count = @inodes.size #: () -> Integer

        # Sockets that nobody has closed, as far as is known.
        #: () -> Array[BasicSocket]
        def open = @ios.to_a.reject(&:closed?)

        # Called in a process forked from the one that noted them. Each descriptor is replaced by one of /dev/null, so
        # that an object which is closed later, such as a TLS socket, sends nothing to the client. The known objects are
        # also closed: otherwise each generation would have more open descriptors than the last.
        #: () -> void
        def close_copies
          return if @inodes.empty?

          OpenDescriptors.sockets.each { |descriptor, inode| redirect_to_null(descriptor) if @inodes.key?(inode) }
          @ios.to_a.each(&:close)
          @ios = WeakSet.new
          @inodes = {}
        end

        private

        # Keeps the sockets that another thread notes meanwhile. The next limit is twice the number of open sockets, so
        # that the average cost of a socket stays small.
        def forget_closed
          known = @inodes.keys
          (known - OpenDescriptors.sockets.values).each { |inode| @inodes.delete(inode) }
          @limit = [2 * @inodes.size, MINIMUM_LIMIT].max
        end

        def redirect_to_null(descriptor)
          OpenDescriptors.redirect_to_null(IO.for_fd(descriptor, "r+", autoclose: false))
        end
      end
    end
  end
end
