# frozen_string_literal: true

module Coppice
  module ForkSafety
    # The sockets of clients that a worker gave to the application, to take over or to look at. They belong to that
    # worker: if a mold forked from it kept one open, the client would not see the end of its connection.
    #
    # Sockets are known by inode: the application may have duplicated a descriptor, and may keep only the duplicate.
    module ClientSockets
      FOLDER = "/proc/self/fd"
      FEW = 64 # this many are remembered before the closed ones are looked for

      @ios = ObjectSpace::WeakMap.new
      @inodes = {}
      @most = FEW

      class << self
        # Remembers a socket. Forgets closed ones once they may be the majority.
        #: (BasicSocket) -> BasicSocket
        def note(io)
          forget_closed if @inodes.size >= @most
          @inodes[io.stat.ino] = true
          @ios[io] = true
          io
        end

        # Number of sockets that are remembered.
        def count = @inodes.size #: () -> Integer

        # In a process forked from the one that noted them. Each descriptor stays open, for the object that has it, but
        # leads to /dev/null: an object that is closed later, TLS included, sends nothing to the client. The objects
        # that we know are closed as well, or each generation would have more descriptors than the last.
        #: () -> void
        def close_copies
          return if @inodes.empty?

          open_sockets.each { |descriptor, inode| redirect_to_null(descriptor) if @inodes.key?(inode) }
          @ios.keys.each(&:close)
          @ios = ObjectSpace::WeakMap.new
          @inodes = {}
        end

        private

        # Keeps those that another thread notes meanwhile. The limit doubles with the sockets that are open, so that the
        # average cost of a socket stays small.
        def forget_closed
          known = @inodes.keys
          (known - open_sockets.values).each { |inode| @inodes.delete(inode) }
          @most = [2 * @inodes.size, FEW].max
        end

        # Of this process: descriptor => inode.
        def open_sockets
          Dir.children(FOLDER).each_with_object({}) do |descriptor, found|
            inode = File.readlink("#{FOLDER}/#{descriptor}")[/\Asocket:\[(\d+)\]/, 1]
            found[descriptor.to_i] = inode.to_i if inode
          rescue Errno::ENOENT
            next # the descriptor of the folder itself
          end
        end

        def redirect_to_null(descriptor)
          IO.for_fd(descriptor, "r+", autoclose: false).reopen(File::NULL, "r+")
        end
      end
    end
  end
end
