# frozen_string_literal: true

module Coppice
  module ForkSafety
    # The sockets of clients that the application was given, to take over or to look at. They belong to the worker that gave
    # them: as long as a mold forked from it had one open, the client would not see its end. Runs in any process of the
    # family.
    #
    # They are known by inode: the application may have duplicated a descriptor, and may keep only the copy.
    module ClientSockets
      FOLDER = "/proc/self/fd"
      FEW = 64 # that are remembered without a look at which of them are still open

      @ios = ObjectSpace::WeakMap.new
      @inodes = {}
      @most = FEW

      class << self
        # Remembers a socket, and forgets those that are closed once they may be the most.
        #: (BasicSocket) -> BasicSocket
        def note(io)
          forget_closed if @inodes.size >= @most
          @inodes[io.stat.ino] = true
          @ios[io] = true
          io
        end

        # How many are remembered.
        def count = @inodes.size #: () -> Integer

        # In a process forked from the one that noted them. A number that is in use still is, for whatever object has it, but
        # reads as at its end and writes into nothing: nothing that is closed later, TLS included, speaks to the client. The
        # objects that we know are closed as well, or each generation would have more descriptors than the last.
        #: () -> void
        def close_copies
          return if @inodes.empty?

          open_sockets.each { |descriptor, inode| point_at_nothing(descriptor) if @inodes.key?(inode) }
          @ios.keys.each(&:close)
          @ios = ObjectSpace::WeakMap.new
          @inodes = {}
        end

        private

        # Not those that another thread notes meanwhile. The next look is far enough away that no socket costs much.
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

        def point_at_nothing(descriptor)
          IO.for_fd(descriptor, "r+", autoclose: false).reopen(File::NULL, "r+")
        end
      end
    end
  end
end
